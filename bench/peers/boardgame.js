// boardgame.io: node boardgame.js PORT, its lobby on PORT + 1000.
import { createRequire } from "node:module";
import { newRacer, play } from "./game.js";

const { Server, Origins } = createRequire(import.meta.url)("boardgame.io/server");
const port = Number(process.argv[2]);

const slide = {
  client: false,
  ignoreStaleStateID: true,
  move: ({ G, playerID, random }, direction) => {
    const racer = { ...G.racers[Number(playerID)], board: Array.from(G.racers[Number(playerID)].board) };
    play(racer, direction & 3, () => random.Number());
    G.racers[Number(playerID)] = racer;
  },
};

const standing = ({ score, biggest, slides }) => ({ score, biggest, slides });

const game = {
  name: "race",
  disableUndo: true,
  setup: ({ ctx, random }) => ({
    racers: Array.from({ length: ctx.numPlayers }, () => newRacer(() => random.Number())),
  }),
  turn: { activePlayers: { all: "play" }, stages: { play: { moves: { slide } } } },
  playerView: ({ G, playerID }) => ({
    you: playerID === null ? null : G.racers[Number(playerID)],
    race: G.racers.map(standing),
  }),
};

Server({ games: [game], origins: [Origins.LOCALHOST] }).run({ port, lobbyConfig: { apiPort: port + 1000 } });
