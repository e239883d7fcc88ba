// Runs test commands one after another, shows what they print, and ends with one line that counts all tests.
import { spawn } from "node:child_process";

/** Runs a shell command; answers its exit code and the numbers of vitest's closing line. */
function run(command) {
  return new Promise((resolve) => {
    const child = spawn(command, {
      shell: true,
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NO_COLOR: "1" },
    });
    let text = "";
    child.stdout.on("data", (chunk) => {
      process.stdout.write(chunk);
      text += chunk;
    });
    child.on("close", (code) => {
      const closing = [...text.matchAll(/^\s*Tests\s+(.*)$/gm)].at(-1)?.[1] ?? "";
      const number = (word) => Number(closing.match(new RegExp(`(\\d+) ${word}`))?.[1] ?? 0);
      resolve({ code: code ?? 1, passed: number("passed"), failed: number("failed") });
    });
  });
}

let passed = 0;
let failed = 0;
let code = 0;
for (const command of process.argv.slice(2)) {
  const result = await run(command);
  passed += result.passed;
  failed += result.failed;
  if (result.code !== 0) code = result.code;
}
if (passed === 0) code ||= 1;
console.log(`${passed} passed, ${failed} failed`);
process.exit(code);
