// A site that speaks HTTP/2 with TLS. Given as JSON: the certificate's file, the hints that it sends
// before its page, its page, and what it says in frames. It prints its port, then each request.
const { readFileSync } = require("node:fs");
const { createSecureServer } = require("node:http2");

const given = JSON.parse(process.argv[2]);
const pem = readFileSync(given.certificate);
const server = createSecureServer({ cert: pem, key: pem, origins: [] });
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

server.on("session", (session) => {
  session.on("error", () => {});
  // Chromium says in its settings that it takes no pushed answers; a frame with another way is heard.
  if (given.altsvc) session.altsvc(given.altsvc, given.origin.replace("PORT", server.address().port));
  session.origin(given.other.replace("PORT", server.address().port));
});
server.on("stream", (stream, headers) => {
  stream.on("error", () => {});
  print({ path: headers[":path"], authority: headers[":authority"], push: stream.pushAllowed });
  if (headers[":path"] === "/") {
    stream.additionalHeaders({ ":status": 103, link: given.hints });
    setTimeout(() => {
      if (stream.destroyed) return;
      stream.respond({ ":status": 200, "content-type": "text/html" });
      stream.end(given.page.replaceAll("PORT", server.address().port));
    }, 300);
    return;
  }
  stream.respond({ ":status": 200, "content-type": "text/plain", "access-control-allow-origin": "*" });
  stream.end(".");
});
server.listen(0, "127.0.0.1", () => print({ port: server.address().port }));
