// Runs `git http-backend` for a test process, which is large: see `git-runner.mjs`. Each request names its folder.
import { createServer } from "node:http";
import { serveByGit } from "./git-backend.mjs";

const server = createServer((request, response) =>
  serveByGit(String(request.headers["x-folder"]), request, response),
);
server.listen(0, "127.0.0.1", () => process.send?.(server.address()));
process.on("disconnect", () => process.exit());
