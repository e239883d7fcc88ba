import { createServer } from "node:http";
import { serveByGit } from "../../support/git/git-backend.mjs";

/** The peer as a process of its own, so that its CPU and that of the git processes it waits for are read from it. */
const [folder = ".", port = "0"] = process.argv.slice(2);

createServer((request, response) => serveByGit(folder, request, response)).listen(
  Number(port),
  "127.0.0.1",
  () => process.stdout.write("Coldforge is ready: no, its peer\n"),
);
