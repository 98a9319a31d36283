// What the first slide can do without. The page loads it by itself, behind all that play needs.
import "../elements/confirm-dialog.js";
import "../elements/settings-dialog.js";
import "../elements/toast-list.js";
import "../offline/register.js";
import "./open-table.js";
