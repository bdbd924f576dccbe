// What a proxy forwards to in tests: says what reached it, and misbehaves where it is asked to.
const http = require("node:http");
const crypto = require("node:crypto");

const server = http.createServer((request, response) => {
  const path = request.url.split("?")[0];
  const special = {
    "/silent": () => {},
    "/reset": () => request.socket.resetAndDestroy(),
    "/broken": () => {
      response.writeHead(200, { "content-length": 100 });
      response.write("abc", () => setTimeout(() => request.socket.destroy(), 20));
    },
    "/broken-chunks": () => {
      response.write("abc", () => setTimeout(() => request.socket.destroy(), 20));
    },
    "/refusing": () => {
      response.writeHead(413, { connection: "close" });
      response.end("no");
    },
    "/600": () => response.writeHead(600).end("odd"),
    "/999": () => response.writeHead(999).end("odd"),
    "/nothing": () => response.writeHead(204).end(),
    "/same": () => response.writeHead(304, { etag: '"1"' }).end(),
    "/early": () => {
      response.writeEarlyHints({ link: "</a.css>; rel=preload" });
      response.end("late");
    },
    "/trailing": () => {
      response.writeHead(200, { trailer: "x-sum" });
      response.addTrailers({ "x-sum": "1" });
      response.end("body");
    },
    "/ticks": () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n");
      request.socket.on("close", () => seen.push("closed"));
    },
    "/endless": () => {
      const write = () => { while (response.write("x".repeat(65536))); };
      response.on("drain", write).on("close", () => seen.push("endless closed"));
      write();
    },
    "/leading": () => {
      const uri = decodeURIComponent(request.url.split("?")[1]);
      const link = `<https://elsewhere.example/>; rel="a", <${uri}>; rel="b"; title="<${uri}>"`;
      response.writeHead(201, { location: uri, "content-location": uri, link });
      response.end();
    },
    "/seen": () => response.end(JSON.stringify(seen)),
  }[path];
  if (special) return special();
  const hash = crypto.createHash("sha256");
  let length = 0;
  request.on("data", (piece) => {
    length += piece.length;
    hash.update(piece);
  });
  request.on("aborted", () => seen.push("aborted"));
  request.on("end", () => {
    const { method, url, rawHeaders } = request;
    const body = JSON.stringify({ method, url, rawHeaders, length, sha256: hash.digest("hex") });
    response.writeHead(200, [
      ["Connection", "x-secret"], ["X-Secret", "1"], ["Keep-Alive", "timeout=5"],
      ["Set-Cookie", "a=1"], ["Set-Cookie", "b=2"], ["Content-Length", Buffer.byteLength(body)],
    ].flat());
    response.end(body);
  });
});
const seen = [];
server.on("checkContinue", (request, response) => {
  if (request.url !== "/refusing") response.writeContinue();
  server.emit("request", request, response);
});

// WebSockets (RFC 6455): text of less than 126 bytes is sent back, a close is answered.
server.on("upgrade", (request, socket) => {
  // a caller may reset the connection: that must not end the server
  socket.on("error", () => socket.destroy());
  if (request.url !== "/echo") return socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  const key = request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  const accept = crypto.createHash("sha1").update(key).digest("base64");
  const protocol = request.headers["sec-websocket-protocol"];
  socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
    (protocol ? `Sec-WebSocket-Protocol: ${protocol.split(",").pop().trim()}\r\n` : "") +
    `Sec-WebSocket-Accept: ${accept}\r\n\r\n`);
  socket.on("data", (frame) => {
    const size = frame[1] & 127;
    const text = frame.subarray(6, 6 + size).map((byte, at) => byte ^ frame[2 + (at % 4)]);
    socket.write(Buffer.concat([Buffer.from([frame[0], size]), text]));
    if ((frame[0] & 15) === 8) socket.end();
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
