// Runs git for a test process, which is large: the kernel takes milliseconds to fork such, and stops it meanwhile. See
// `git-runner.ts`.
import { spawn } from "node:child_process";

process.on("message", ({ id, args, options, input }) => {
  const git = spawn("git", args, options);
  const [out, err] = [[], []];
  git.stdout.on("data", (piece) => out.push(piece));
  git.stderr.on("data", (piece) => err.push(piece));
  git.on("error", ({ message }) => process.send({ id, problem: message }));
  git.on("close", (code) =>
    process.send({ id, code: code ?? -1, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() }),
  );
  git.stdin.on("error", () => undefined); // a command need not read all of it
  git.stdin.end(input);
});
process.on("disconnect", () => process.exit());
