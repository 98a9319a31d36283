// Bare `ws`: node ws.js PORT. A socket at /x/RACE/RACER is a racer; {"n": 1, "d": 0..3} slides.
import { WebSocketServer } from "ws";
import { newRacer, play } from "./game.js";

const races = new Map();

new WebSocketServer({ port: Number(process.argv[2]), host: "127.0.0.1", perMessageDeflate: false }).on(
  "connection",
  (socket, request) => {
    const [, , race, seat] = request.url.split("/");
    if (!races.has(race)) races.set(race, new Map());
    const sockets = races.get(race);
    sockets.set(seat, socket);
    const racer = newRacer();
    socket.on("message", (text) => {
      const { n, d } = JSON.parse(text);
      const changed = play(racer, d & 3);
      const { board, score, biggest, slides } = racer;
      socket.send(JSON.stringify({ t: "you", n, board, score, biggest, slides }));
      if (!changed) return;
      const standing = JSON.stringify({ t: "race", seat, score, biggest, slides });
      for (const [other, each] of sockets) if (other !== seat) each.send(standing);
    });
    socket.on("close", () => {
      sockets.delete(seat);
      if (sockets.size === 0) races.delete(race);
    });
  },
);
