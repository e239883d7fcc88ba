import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ServerProcess } from "../process/server-process.ts";
import { createRandom } from "../random.ts";
import { hugeKey } from "./huge-key.ts";

/** Small requests that cost a lot: each once took the service away from everybody for seconds. */
export interface HostileCase {
  readonly name: string;
  /** Makes what the requests need. */
  prepare?(server: ServerProcess): Promise<void>;
  /** Sends them all at once; the statuses of their answers. */
  send(server: ServerProcess): Promise<number[]>;
}

/** A request to the API as the administrator, or as nobody with `token: ""`. */
export async function call(
  { url, token }: ServerProcess,
  method: string,
  path: string,
  { body, as = token, headers = {} }: { body?: unknown; as?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...(as === "" ? {} : { authorization: `token ${as}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

export const status = async (response: Promise<Response>): Promise<number> => {
  const answered = await response;
  await answered.arrayBuffer();
  return answered.status;
};

/**
 * The status of an answer that may come before all of a large body is sent: 413 when the connection ended first, as it
 * does under a client that is still busy sending a while after its refusal.
 */
const statusBeforeBody = (response: Promise<Response>): Promise<number> =>
  status(response).catch((error) => {
    if (/^(EPIPE|ECONNRESET|UND_ERR_SOCKET)$/.test(error?.cause?.code)) return 413;
    throw error;
  });

/** Pushes what `make` writes, in a folder with a repository, to a new repository of the administrator; then `after`. */
export async function pushNew(
  server: ServerProcess,
  name: string,
  make: (git: Git, folder: string) => Promise<void>,
  after?: typeof make,
) {
  const made = await status(call(server, "POST", "/user/repos", { body: { name } }));
  if (made !== 201) throw new Error(`no repository ${name}: ${made}`);
  const folder = mkdtempSync(join(tmpdir(), "coldforge-hostile-"));
  try {
    const git = gitIn(folder);
    await git("init", "-q", "-b", "main");
    await git("config", "user.name", "Mallory");
    await git("config", "user.email", "mallory@example.com");
    await make(git, folder);
    const address = new URL(`/root/${name}.git`, server.url);
    address.username = "root";
    address.password = server.token;
    await git("push", "-q", address.href, "refs/heads/*:refs/heads/*", "refs/tags/*:refs/tags/*");
    await after?.(git, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
type Git = (...args: string[]) => Promise<string>;
const run = promisify(execFile);
const gitIn =
  (cwd: string): Git =>
  async (...args) =>
    (await run("git", args, { cwd, maxBuffer: 2 ** 30 })).stdout;

async function commitAll(git: Git, message: string): Promise<void> {
  await git("add", "-A");
  await git("commit", "-q", "-m", message);
}

/** Lines of which two such texts have few in common, in another order: the hardest to compare. */
export function hardText(seed: number, lines: number, kinds: number): string {
  const random = createRandom(seed);
  let text = "";
  for (let line = 0; line < lines; line += 1) text += `${random.integer(kinds)}\n`;
  return text;
}

/** The status of a read below the administrator's repositories. Throws on 400: a request of no form tests nothing. */
export async function get(server: ServerProcess, path: string): Promise<number> {
  const answered = await status(call(server, "GET", `/repos/root/${path}`));
  if (answered === 400) throw new Error(`GET ${path} was answered 400`);
  return answered;
}

/** Where to get a ref's archives in every form. */
export const archivesOf = (ref: string): string[] =>
  ["tar.gz", "zip", "bundle"].map((ending) => `archive/${ref}.${ending}`);

export const times = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** Two commits of which the second changes every line of some files. */
const hardDiffs = (name: string, files: number, lines: number) => (server: ServerProcess) =>
  pushNew(server, name, async (git, folder) => {
    for (const [round, message] of ["one", "two"].entries()) {
      for (const file of times(files)) {
        writeFileSync(join(folder, `file-${file}`), hardText(round * 1_000 + file, lines, lines / 4));
      }
      await commitAll(git, message);
    }
  });

/** Every case, by its name. */
export const hostileCases: readonly HostileCase[] = [
  {
    name: "an OpenPGP key of 32,768 bits",
    send: async (server) => [
      await status(
        call(server, "POST", "/user/gpg_keys", {
          body: { armored_public_key: hugeKey({ modulusBits: 32_768, exponentBits: 8_192 }) },
        }),
      ),
    ],
  },
  {
    name: "a page of one commit with 10 files of 74,000 lines, twice",
    prepare: hardDiffs("hard-commits", 10, 74_000),
    send: (server) =>
      Promise.all(
        times(2).map(() =>
          status(call(server, "GET", "/repos/root/hard-commits/commits?limit=1", { as: "" })),
        ),
      ),
  },
  {
    name: "the diff of a commit, and a comparison as patches",
    prepare: hardDiffs("hard-diff", 3, 70_000),
    send: (server) =>
      Promise.all([
        status(call(server, "GET", "/repos/root/hard-diff/git/commits/main.diff", { as: "" })),
        status(call(server, "GET", "/repos/root/hard-diff/compare/main~1...main?output=patch", { as: "" })),
      ]),
  },
  {
    name: "80 wrong passwords",
    send: (server) =>
      Promise.all(
        times(80).map((at) =>
          status(
            call(server, "GET", "/user", {
              as: "",
              headers: { authorization: `Basic ${Buffer.from(`root:wrong-${at}`).toString("base64")}` },
            }),
          ),
        ),
      ),
  },
  {
    name: "a patch that looks for its places in a file of 200,000 lines",
    prepare: (server) =>
      pushNew(server, "hard-patch", async (git, folder) => {
        writeFileSync(join(folder, "same"), "same\n".repeat(200_000));
        await commitAll(git, "one");
      }),
    send: (server) => {
      const hunk = (at: number) =>
        `@@ -${at},52 +${at},52 @@\n${" same\n".repeat(50)}-other\n+another\n same\n`;
      const content = `--- a/same\n+++ b/same\n${times(40)
        .map((at) => hunk(1_000 + at * 60))
        .join("")}`;
      const body = { content, message: "hard", branch: "main" };
      return Promise.all(
        times(4).map(() => status(call(server, "POST", "/repos/root/hard-patch/diffpatch", { body }))),
      );
    },
  },
  {
    name: "a patch of many binary files that inflate to much",
    prepare: (server) =>
      pushNew(server, "binary-patch", async (git, folder) => {
        writeFileSync(join(folder, "some"), "text\n");
        await commitAll(git, "one");
      }),
    send: async (server) => {
      const bomb = await zeroPatch(31 * 2 ** 20);
      const files = times(40).map(
        (at) =>
          `diff --git a/f${at} b/f${at}\nnew file mode 100644\nindex 0000000..1111111\nGIT binary patch\n${bomb}\n${bomb}\n`,
      );
      const body = { content: files.join(""), message: "hard", branch: "main" };
      return [await status(call(server, "POST", "/repos/root/binary-patch/diffpatch", { body }))];
    },
  },
  {
    name: "the patch of a commit that renames 60 large files and changes them",
    prepare: (server) =>
      pushNew(server, "hard-renames", async (git, folder) => {
        for (const round of ["old", "new"]) {
          rmSync(join(folder, "old"), { recursive: true, force: true });
          mkdirSync(join(folder, round));
          for (const file of times(60)) {
            writeFileSync(
              join(folder, round, `${round}-${file}`),
              hardText(file + (round === "new" ? 500 : 0), 20_000, 40_000),
            );
          }
          await commitAll(git, round);
        }
      }),
    send: async (server) => [
      await status(call(server, "GET", "/repos/root/hard-renames/git/commits/main.diff", { as: "" })),
    ],
  },
  {
    name: "JSON of 30 MB with millions of values, deep, flat and of many keys",
    prepare: async (server) =>
      void (await status(call(server, "POST", "/user/repos", { body: { name: "json", auto_init: true } }))),
    send: async (server) => {
      const many = 2 ** 20;
      const texts = [
        `${"[".repeat(10 * many)}${"]".repeat(10 * many)}`,
        `[${"[],".repeat(9 * many)}0]`,
        `{${Array.from({ length: many }, (_, at) => `"k${at}":0`).join(",")}}`,
        `[${'"\\ud800",'.repeat(3 * many)}0]`,
      ];
      const contents = { message: "m", content: "" };
      const answers = await Promise.all(
        texts.map((text, at) =>
          statusBeforeBody(
            fetch(`${server.url}/api/v1/repos/root/json/contents/f${at}`, {
              method: "POST",
              headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
              body: `${JSON.stringify(contents).slice(0, -1)},"more":${text}}`,
            }),
          ),
        ),
      );
      return [...answers, await status(call(server, "GET", "/version"))];
    },
  },
  {
    name: "Markdown that takes as long as it may",
    send: (server) =>
      Promise.all(
        times(2).map(() =>
          status(
            call(server, "POST", "/markdown", {
              as: "",
              body: { Text: "<div>\n".repeat(170_000), Mode: "gfm" },
            }),
          ),
        ),
      ),
  },
];

/** A binary file of zeros as a patch has it. */
async function zeroPatch(sizeBytes: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "coldforge-hostile-"));
  try {
    const git = gitIn(folder);
    await git("init", "-q");
    writeFileSync(join(folder, "zeros"), Buffer.alloc(sizeBytes));
    await git("add", "zeros");
    const patch = await git("diff", "--cached", "--binary");
    return patch.slice(patch.indexOf("literal "), patch.indexOf("\n\nliteral 0"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
