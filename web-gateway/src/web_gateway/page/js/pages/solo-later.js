// What the first slide can do without. The page loads it by itself, behind all that play needs.
import "../elements/confirm-dialog.js";
import "../elements/settings-dialog.js";
import "../elements/toast-list.js";
import "../offline/register.js";
import "./open-table.js";
import { SoloVoice } from "../solo/voice.js";

/** @param {{readonly isLost: boolean}} solo */
export const voiceOf = (solo) => new SoloVoice(solo);
