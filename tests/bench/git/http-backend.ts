import { createHttpBackend } from "#tests/support/git/http-backend";

/** The peer as a process of its own, so that its CPU and that of the git processes it waits for are read from it. */
const [folder = ".", port = "0"] = process.argv.slice(2);

createHttpBackend(folder).listen(Number(port), "127.0.0.1", () =>
  process.stdout.write("Coldforge is ready: no, its peer\n"),
);
