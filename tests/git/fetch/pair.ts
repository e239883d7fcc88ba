import { existsSync } from "node:fs";
import { appendFile, readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { ObjectFormat } from "#core/git/format/object-format";
import { type GitServer, type GitServerOptions, startGitServer } from "#tests/git/http/git-server";
import { Folders, type GitRun, git, tryGit } from "#tests/git/http/real-git";
import { createHttpBackend } from "#tests/support/git/http-backend";

const peerSettings = `[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
	allowSidebandAll = true
[transfer]
	advertiseObjectInfo = true
`;

/** Our server, and git's own serving the same repositories over the same transport: clients differ by transport too. */
export class Peers {
  readonly server: GitServer;
  readonly folders = new Folders();
  readonly #root: string;
  readonly #backend: ReturnType<typeof createHttpBackend>;
  #names = 0;

  private constructor(server: GitServer, root: string) {
    this.server = server;
    this.#root = root;
    this.#backend = createHttpBackend(root);
  }

  static async start(options: GitServerOptions = {}): Promise<Peers> {
    const folders = new Folders();
    const peers = new Peers(await startGitServer(options), await folders.make());
    await new Promise<void>((resolve) => peers.#backend.listen(0, "127.0.0.1", resolve));
    return peers;
  }

  async stop(): Promise<void> {
    this.#backend.closeAllConnections();
    await new Promise((resolve) => this.#backend.close(resolve));
    await this.server.stop();
    await this.folders.remove();
    await rm(this.#root, { recursive: true, force: true });
  }

  /**
   * An empty repository on both sides; the peer's takes what ours takes, except wants by name: git's own server sends
   * their section in front of the borders' instead of behind, and its client gives up on that.
   */
  async create(format: ObjectFormat): Promise<Pair> {
    const name = `pair-${this.#names++}`;
    const ours = await this.server.create(name, { format });
    const bare = join(this.#root, `${name}.git`);
    await git(tmpdir(), ["init", "-q", "--bare", "-b", "main", `--object-format=${format}`, bare]);
    await appendFile(join(bare, "config"), peerSettings);
    const { port } = this.#backend.address() as AddressInfo;
    return new Pair(this, format, {
      urls: [ours.url, `http://127.0.0.1:${port}/${name}.git`],
      id: ours.id,
      bare,
    });
  }
}

/** One repository on both servers, and twin clients that do the same to each. */
export class Pair {
  readonly peers: Peers;
  readonly format: ObjectFormat;
  /** Ours, then git's. */
  readonly urls: readonly [string, string];
  readonly id: number;
  /** The folder behind git's own. */
  readonly bare: string;

  constructor(
    peers: Peers,
    format: ObjectFormat,
    { urls, id, bare }: { urls: readonly [string, string]; id: number; bare: string },
  ) {
    this.peers = peers;
    this.format = format;
    this.urls = urls;
    this.id = id;
    this.bare = bare;
  }

  /** Pushes from a folder to both; options of git itself come first. */
  async push(folder: string, ...args: string[]): Promise<void> {
    const at = cut(args);
    await Promise.all(
      this.urls.map((url) => git(folder, [...args.slice(0, at), "push", "-q", url, ...args.slice(at)])),
    );
  }

  /** Clones from both with the same options. */
  async clone(...options: string[]): Promise<Twins> {
    const twins = await this.tryClone(...options);
    if (twins === undefined) throw new Error(`both clones with ${options.join(" ")} failed`);
    return twins;
  }

  /** The same; undefined where it fails on both sides. */
  async tryClone(...options: string[]): Promise<Twins | undefined> {
    const at = cut(options);
    const folders = [await this.peers.folders.make(), await this.peers.folders.make()] as const;
    const [ours, peers] = await Promise.all(
      this.urls.map((url, side) =>
        tryGit(folders[side] as string, [
          ...options.slice(0, at),
          "clone",
          "-q",
          ...options.slice(at),
          url,
          "copy",
        ]),
      ),
    );
    expectSame(ours as GitRun, peers as GitRun);
    return ours?.code === 0 ? new Twins([join(folders[0], "copy"), join(folders[1], "copy")]) : undefined;
  }
}

function expectSame(ours: GitRun, peers: GitRun): void {
  expect(ours.code === 0, `ours: ${ours.stderr}\ngit's: ${peers.stderr}`).toBe(peers.code === 0);
}

/** Options of git itself (`-c x`) come before the command's. */
function cut(options: readonly string[]): number {
  let at = 0;
  while (options[at] === "-c") at += 2;
  return at;
}

/** Two clients, the first of our server, the second of git's. */
export class Twins {
  readonly folders: readonly [string, string];

  constructor(folders: readonly [string, string]) {
    this.folders = folders;
  }

  /** Does the same in both; both have to succeed, or both fail. */
  async run(...args: string[]): Promise<readonly [GitRun, GitRun]> {
    const [ours, peers] = await Promise.all(this.folders.map((folder) => tryGit(folder, args)));
    const runs = [ours, peers] as readonly [GitRun, GitRun];
    expectSame(...runs);
    return runs;
  }

  /**
   * Both hold the same refs, borders and objects, and so the same holes; ours passes fsck, and the other with it. Answers
   * what ours holds.
   */
  async compare(): Promise<ClientState> {
    const [ours, peers, missing] = await Promise.all([
      heldBy(this.folders[0]),
      heldBy(this.folders[1]),
      missingFrom(this.folders[0]),
      git(this.folders[0], ["fsck", "--full"]),
    ]);
    expect(ours).toEqual(peers);
    return { ...ours, missing };
  }
}

/** What a client's folder holds. */
interface Held {
  readonly refs: readonly string[];
  readonly shallow: readonly string[];
  /** Ids with their kinds, sorted. */
  readonly objects: readonly string[];
}

/** What a client has. */
export interface ClientState extends Held {
  /** Ids that its refs lead to and that it lacks. */
  readonly missing: readonly string[];
}

const lines = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .sort();

const gitFolderOf = (folder: string) => (existsSync(join(folder, ".git")) ? join(folder, ".git") : folder);

async function heldBy(folder: string): Promise<Held> {
  const [refs, objects] = await Promise.all([
    git(folder, ["for-each-ref", "--format=%(objectname) %(refname)"]),
    git(folder, ["cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"]),
  ]);
  const shallow = lines(await readFile(join(gitFolderOf(folder), "shallow"), "utf8").catch(() => ""));
  return { refs: lines(refs), shallow, objects: lines(objects) };
}

/** Never fetches what is missing. Of a client that lacks commits (filters can do that) git itself can't list it. */
async function missingFrom(folder: string): Promise<readonly string[]> {
  const config = await readFile(join(gitFolderOf(folder), "config"), "utf8");
  // Where nothing was promised for later, fsck finds every hole.
  if (!config.includes("promisor = true")) return [];
  const { code, stdout } = await tryGit(folder, [
    ...["rev-list", "--objects", "--all", "--missing=print", "--no-object-names"],
  ]);
  return code === 0 ? lines(stdout).filter((line) => line.startsWith("?")) : ["commits too"];
}
