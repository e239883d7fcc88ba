import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateKey, readKey } from "openpgp";
import type { ServerProcess } from "../process/server-process.ts";
import {
  archivesOf,
  call,
  get,
  type HostileCase,
  hardText,
  pushNew,
  status,
  times,
} from "./hostile-cases.ts";
import { hugeSignature } from "./huge-key.ts";

const rsaBits = 4_096;
const person = "Mallory <mallory@example.com> 1700000000 +0000";

/** Runs git in a folder with something to read, and answers the lines that it prints. */
const lines = (folder: string, args: readonly string[], input: string): string[] =>
  execFileSync("git", ["-C", folder, ...args], { input, encoding: "utf8" })
    .trim()
    .split("\n");

/** Writes objects of a kind; their ids. */
function writeObjects(folder: string, kind: string, texts: readonly string[]): string[] {
  const paths = texts.map((text, at) => {
    writeFileSync(join(folder, `object-${at}`), text);
    return `object-${at}`;
  });
  return lines(folder, ["hash-object", "-t", kind, "-w", "--stdin-paths"], paths.join("\n"));
}

const indented = (text: string) => text.trimEnd().replaceAll("\n", "\n ");

/** A key of the administrator, which the service knows: its id. */
async function storeKey(server: ServerProcess): Promise<string> {
  const { email } = (await (await call(server, "GET", "/user")).json()) as { email: string };
  const { publicKey } = await generateKey({ type: "rsa", rsaBits, userIDs: [{ name: "Mallory", email }] });
  const body = { armored_public_key: publicKey };
  let stored = 422;
  // A thread that does not come to a key in seconds, on a busy machine, refuses it.
  for (let tries = 0; stored === 422 && tries < 3; tries += 1) {
    stored = await status(call(server, "POST", "/user/gpg_keys", { body }));
  }
  if (stored !== 201) throw new Error(`the key was refused: ${stored}`);
  return (await readKey({ armoredKey: publicKey })).getKeyID().toHex();
}

/** Requests that are like those which once stalled the service. */
export const hostileNeighbours: readonly HostileCase[] = [
  {
    name: "2,000 refs, merges and tags whose signatures take long to judge",
    prepare: async (server) => {
      const keyId = await storeKey(server);
      const sign = (text: string) => hugeSignature(keyId, rsaBits, Buffer.from(text));
      await pushNew(server, "signed", async (git, folder) => {
        const [tree] = lines(folder, ["mktree"], "") as [string];
        const [root] = writeObjects(folder, "commit", [
          `tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nroot\n`,
        ]) as [string];
        const signedCommits = times(200).map((at) => {
          const head = `tree ${tree}\nparent ${root}\nparent ${root}\nauthor ${person}\ncommitter ${person}\n`;
          const message = `\nmerge ${at}\n`;
          return `${head}gpgsig ${indented(sign(`${head}${message}`))}\n${message}`;
        });
        const commits = writeObjects(folder, "commit", signedCommits);
        const signedTags = commits.map((commit, at) => {
          const text = `object ${commit}\ntype commit\ntag t${at}\ntagger ${person}\n\ntag\n`;
          return `${text}${sign(text)}`;
        });
        const tags = writeObjects(folder, "tag", signedTags);
        const refs = [
          `create refs/heads/main ${root}`,
          ...times(2_000).map((at) => `create refs/heads/b${at} ${commits[at % commits.length]}`),
          ...tags.map((tag, at) => `create refs/tags/t${at} ${tag}`),
        ];
        lines(folder, ["update-ref", "--stdin"], refs.map((ref) => `${ref}\n`).join(""));
        await git("pack-refs", "--all");
      });
    },
    send: async (server) => {
      const pages = times(4).map((at) => get(server, `signed/branches?limit=50&page=${at + 1}`));
      const others = ["tags?limit=50", "commits?sha=b0", "branches/b1", "git/commits/b2"];
      const found = await call(server, "GET", "/repos/root/signed/git/refs/tags/");
      const refs = found.ok ? ((await found.json()) as { object: { sha: string } }[]) : [];
      const annotated = refs.slice(0, 50).map(({ object }) => get(server, `signed/git/tags/${object.sha}`));
      return Promise.all([...pages, ...others.map((path) => get(server, `signed/${path}`)), ...annotated]);
    },
  },
  {
    name: "a tree of 10^14 paths: its commit, its texts, an archive, a comparison, a request, a copy",
    prepare: (server) =>
      pushNew(server, "endless", async (git, folder) => {
        let [tree] = writeObjects(folder, "tree", [""]) as [string];
        const [blob] = writeObjects(folder, "blob", ["endless\n"]) as [string];
        const [empty] = writeObjects(folder, "commit", [
          `tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nnothing\n`,
        ]) as [string];
        for (const level of times(15)) {
          const entry = level === 0 ? `100644 blob ${blob}` : `040000 tree ${tree}`;
          [tree] = lines(
            folder,
            ["mktree"],
            times(10)
              .map((at) => `${entry}\t${at}\n`)
              .join(""),
          ) as [string];
        }
        const commit = await git("commit-tree", tree, "-p", empty, "-m", "endless");
        await git("update-ref", "refs/heads/main", empty);
        await git("update-ref", "refs/heads/endless", commit.trim());
      }),
    send: async (server) => {
      const pull = { title: "endless", base: "main", head: "endless" };
      const statuses = [await status(call(server, "POST", "/repos/root/endless/pulls", { body: pull }))];
      const paths = [
        ...["commits?sha=endless&limit=1", "git/commits/endless", "git/commits/endless.diff"],
        ...["git/trees/endless?recursive=true", ...archivesOf("endless"), "languages"],
        ...[
          "compare/main...endless",
          "pulls/1",
          "pulls/1/files",
          "pulls/1.diff",
          "pulls/1.patch",
          "pulls/1/commits",
        ],
        ...["commits?sha=endless&path=0/1/2/3/4/5/6/7/8/9/0/1/2/3/4", "contents/0/1/2?ref=endless"],
      ];
      for (const path of paths) statuses.push(await get(server, `endless/${path}`));
      const merge = { Do: "merge" };
      statuses.push(await status(call(server, "POST", "/repos/root/endless/pulls/1/merge", { body: merge })));
      const change = { content: "YQ==", message: "one", branch: "endless" };
      statuses.push(await status(call(server, "POST", "/repos/root/endless/contents/one", { body: change })));
      return statuses;
    },
  },
  {
    name: "a comparison of forks whose files have little in common",
    prepare: async (server) => {
      await pushNew(server, "hard-base", async (git, folder) => {
        for (const at of times(10)) writeFileSync(join(folder, `f${at}`), hardText(at, 74_000, 18_500));
        await git("add", "-A");
        await git("commit", "-q", "-m", "one");
        await git("checkout", "-q", "-b", "other");
        for (const at of times(10)) writeFileSync(join(folder, `f${at}`), hardText(at + 100, 74_000, 18_500));
        await git("commit", "-q", "-a", "-m", "two");
      });
      const body = { username: "forks" };
      await status(call(server, "POST", "/orgs", { body }));
      await status(call(server, "POST", "/repos/root/hard-base/forks", { body: { organization: "forks" } }));
    },
    send: (server) =>
      Promise.all([
        get(server, "hard-base/compare/main...forks:other"),
        get(server, "hard-base/compare/main...forks:other?output=diff"),
        status(call(server, "GET", "/repos/forks/hard-base/compare/other...root:main?output=patch")),
      ]),
  },
  {
    name: ".editorconfig of patterns that take long to match, and pictures that say they are huge",
    prepare: (server) =>
      pushNew(server, "patterns", async (git, folder) => {
        const sections = times(400).map((at) => `[${"{a,b,{c,d}}*".repeat(20)}${at}]\nindent_size=2\n`);
        writeFileSync(
          join(folder, ".editorconfig"),
          `${sections.join("")}[${"**".repeat(500)}z]\ntab_width=3\n`,
        );
        await git("add", "-A");
        await git("commit", "-q", "-m", "one");
      }),
    send: (server) => {
      // A PNG whose header says 2^31-1 pixels each way.
      const header = Buffer.from("89504e470d0a1a0a0000000d494844527fffffff7fffffff0802000000", "hex");
      const image = Buffer.concat([header, Buffer.alloc(700_000)]).toString("base64");
      return Promise.all([
        ...times(10).map((at) =>
          get(server, `patterns/editorconfig/${"ab/".repeat(60)}${"abcd".repeat(50)}${at}`),
        ),
        ...times(10).map(() => status(call(server, "POST", "/user/avatar", { body: { image } }))),
      ]);
    },
  },
];
