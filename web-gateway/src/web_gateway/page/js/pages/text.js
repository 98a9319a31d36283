import "../offline/register.js";
import "../elements/settings-dialog.js";
