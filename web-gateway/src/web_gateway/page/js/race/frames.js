/**
 * Every frame of the table's socket. Times are milliseconds of the store's clock; seats are 1 to 4.
 * @module
 */

/** @typedef {import("../engine/slide.js").Direction} Direction */
/** @typedef {"gathering" | "countdown" | "racing" | "finished"} Phase */
/** @typedef {{target: number | null, clock_s: number | null}} Rules */

/** @typedef {{type: "slide", race: number, n: number, direction: Direction, id: string}} SlideFrame */
/** @typedef {{type: "ping", t: number}} PingFrame */
/**
 * What a person can ask for; an `id` is added when it is sent.
 * @typedef {{type: "sit", name: string} | {type: "leave"} | {type: "rename", name: string}
 *   | {type: "ready", ready: boolean} | {type: "free_seat", seat: number} | ({type: "rules"} & Rules) | {type: "start"}
 *   | {type: "resign", race: number} | {type: "offer", race: number} | {type: "answer", race: number, agree: boolean}
 *   | {type: "race_on_without", race: number, seat: number} | {type: "play_again", race: number}
 *   | {type: "change_settings", race: number}} Ask
 */
/** @typedef {SlideFrame | PingFrame | (Ask & {id: string})} ClientFrame */

/**
 * @typedef {object} HelloFrame
 * @property {"hello"} type
 * @property {string} build
 * @property {string} link the address to give to friends
 * @property {"public" | "network" | "loopback"} reach
 * @property {number[]} clocks_s
 * @property {number} countdown_ms
 * @property {number} ping_ms
 * @property {number} grace_ms
 * @property {number} now
 */
/**
 * @typedef {object} Seat
 * @property {number} seat
 * @property {string | null} name null when free
 * @property {boolean} [ready]
 * @property {boolean} [connected]
 * @property {number | null} [away_until]
 * @property {number} [tally]
 */
/**
 * @typedef {object} RaceOfTable
 * @property {number} number
 * @property {Rules} rules
 * @property {number | null} starts_at
 * @property {number | null} deadline
 * @property {number | null} ended_at
 * @property {string | null} commitment
 * @property {{seat: number, name: string}[]} racers
 */
/**
 * @typedef {object} TableFrame
 * @property {"table"} type
 * @property {number} version
 * @property {string} table
 * @property {Phase} phase
 * @property {number | null} host
 * @property {Seat[]} seats
 * @property {number} watchers
 * @property {Rules} rules
 * @property {RaceOfTable | null} race
 * @property {{seat: number | null, host: boolean}} you
 * @property {number} now
 */
/**
 * @typedef {object} Standing
 * @property {number} seat
 * @property {number} score
 * @property {number} biggest the tile's value
 * @property {number} slides
 * @property {"sliding" | "stuck" | "out"} state
 * @property {"resigned" | "left_behind"} [out]
 */
/** @typedef {{by: number, agreed: number[], until: number}} Offer */
/** @typedef {{by: number, outcome: "declined" | "slid" | "lapsed" | "agreed", seat: number | null}} ClosedOffer */
/** @typedef {"TARGET" | "LAST_IN_RACE" | "ALL_STUCK" | "OUTSCORED" | "TIME_UP" | "AGREED"} Reason */
/** @typedef {{winner: number | null, tied: number[], reason: Reason}} Verdict */
/**
 * @typedef {object} RaceFrame
 * @property {"race"} type
 * @property {number} race
 * @property {number} version
 * @property {Standing[]} standings
 * @property {Offer | null} offer
 * @property {ClosedOffer | null} last_offer
 * @property {Verdict | null} verdict
 * @property {number} now
 */
/** @typedef {[from: number, to: number, merged: boolean]} MotionOnWire */
/**
 * @typedef {object} BoardFrame
 * @property {"board"} type
 * @property {number} race
 * @property {number} n
 * @property {number[]} cells values, row-major
 * @property {number} score
 * @property {boolean} stuck
 * @property {{direction: Direction, points: number, motions: MotionOnWire[]} | null} slide null in a snapshot
 * @property {{cell: number, value: number} | null} tile
 * @property {string | null} [re]
 */
/** @typedef {{type: "reveal", race: number, seed: string, boards: {seat: number, cells: number[]}[]}} RevealFrame */
/** @typedef {{type: "refused", re?: string | null, of: string | null, code: string, message: string, n?: number}} RefusedFrame */
/** @typedef {{type: "done", re: string}} DoneFrame */
/** @typedef {{type: "pong", t: number, now: number}} PongFrame */
/** @typedef {{type: "moved"}} MovedFrame */
/** @typedef {{type: "freed", why: "host" | "away" | "not_dealt"}} FreedFrame */
/** @typedef {{type: "bye", retry_ms: number}} ByeFrame */
/**
 * @typedef {HelloFrame | TableFrame | RaceFrame | BoardFrame | RevealFrame | RefusedFrame | DoneFrame | PongFrame
 *   | MovedFrame | FreedFrame | ByeFrame} ServerFrame
 */

/**
 * A frame from the socket's text. The server is our own and of the same release, so its frames are trusted to be whole;
 * a type this page does not know belongs to a newer release and is left alone by the reducer.
 * @param {string} text
 * @returns {ServerFrame | null} null where it is no frame at all
 */
export function parseFrame(text) {
  try {
    const frame = JSON.parse(text);
    return frame !== null && typeof frame === "object" && typeof frame.type === "string" ? frame : null;
  } catch {
    return null;
  }
}
