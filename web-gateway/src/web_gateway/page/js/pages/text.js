import "../elements/settings-dialog.js";
