// socket.io: node socketio.js PORT. "join" (race, seat), then "move" ({n, d}).
import { createServer } from "node:http";
import { Server } from "socket.io";
import { newRacer, play } from "./game.js";

const http = createServer();
const server = new Server(http, { transports: ["websocket"], perMessageDeflate: false });

server.on("connection", (socket) => {
  const racer = newRacer();
  let race;
  let seat;
  socket.on("join", (...place) => {
    [race, seat] = place;
    socket.join(race);
  });
  socket.on("move", ({ n, d }) => {
    const changed = play(racer, d & 3);
    const { board, score, biggest, slides } = racer;
    socket.emit("you", { n, board, score, biggest, slides });
    if (changed) socket.to(race).emit("race", { seat, score, biggest, slides });
  });
});
http.listen(Number(process.argv[2]), "127.0.0.1");
