// The shop's backend in another language: knows the newest version alone. What it holds is in the
// file that it is started with, by the method, the target and the body of a request; another
// request than the newest version has finds nothing.
const http = require("node:http");
const held = new Map(require(process.argv[2]));
let waiting = 0;

http.createServer((request, response) => {
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    if (request.url === "/waiting") return response.end(String(waiting));
    const asked = `${request.method} ${request.url} ${Buffer.concat(pieces).toString("utf8")}`;
    const answer = held.get(asked);
    if (answer === undefined) {
      response.writeHead(500, { "content-type": "text/plain" });
      return response.end(`nobody asks for ${asked}`);
    }
    const send = () => {
      response.writeHead(answer.status, answer.headers.flat());
      response.end(answer.body);
    };
    if (!request.headers["x-slow"]) return send();
    waiting += 1;
    setTimeout(send, Number(request.headers["x-slow"]));
  });
}).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
