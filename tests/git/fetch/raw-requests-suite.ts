import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ObjectFormat, objectIdBytes } from "#core/git/format/object-format";
import { dataPacket, flushPacket } from "#core/git/protocol/pkt-line";
import { git, tryGit, WorkingCopy } from "#tests/git/http/real-git";
import { type Pair, Peers } from "./pair.ts";
import { ask, commandOf, readAnswer } from "./raw-fetch.ts";

/** Requests that are written by hand, as git never sends them or only now and then. */
export function testRawRequests(formats: readonly ObjectFormat[]): void {
  describe.each(formats)("requests of fetches (%s):", (format) => {
    let peers: Peers;
    let pair: Pair;
    let work: WorkingCopy;
    let commits: string[];
    /** No object has this id. */
    const nowhere = "12".repeat(objectIdBytes(format));
    beforeAll(async () => {
      peers = await Peers.start();
      pair = await peers.create(format);
      work = await WorkingCopy.init(peers.folders, format);
      const text = Array.from({ length: 400 }, (_, line) => `line ${line * 7919}\n`);
      commits = await work.commitSeries(6, (number) => {
        text[number * 7] = `changed in ${number}\n`;
        return { "long.txt": text.join(""), "dir/long.txt": `${text.join("")}.` };
      });
      await work.git("push", "-q", pair.urls[0], `${commits[2]}:refs/heads/old`);
      await pair.push(work.folder, "main");
    });
    afterAll(() => peers.stop());

    const fetchAll = async (args: readonly string[], keys: readonly string[] = []) =>
      readAnswer(
        await ask(pair.urls[0], commandOf(format, "fetch", args, keys)),
        args.includes("sideband-all"),
      );

    describe("deltas rest on what the other side surely has", () => {
      const thin = () => ["thin-pack", "ofs-delta", `want ${commits[5]}`, `have ${commits[2]}`, "done"];

      /** Whether git reads a pack on its own, with no object around it. */
      const standsAlone = async (pack: Buffer) => {
        const folder = await peers.folders.make();
        await git(folder, ["init", "-q", "--bare", `--object-format=${format}`]);
        return (await tryGit(folder, ["index-pack", "--stdin"], { input: pack })).code === 0;
      };

      it("so a thin pack rests on the client's objects", async () => {
        expect(await standsAlone((await fetchAll(thin())).pack)).toBe(false);
      });

      it.each(["blob:none", "blob:limit=1g", "tree:2", "combine:tree:9+blob:limit%3D1g"])(
        "but with the filter %s on none of them, whatever it lets through",
        async (filter) => {
          const { pack } = await fetchAll([...thin(), `filter ${filter}`]);
          expect(await standsAlone(pack)).toBe(true);
        },
      );

      it("nor on what lies below a border of a shallow client", async () => {
        const { pack } = await fetchAll([
          "thin-pack",
          "ofs-delta",
          `want ${commits[1]}`,
          `want ${commits[5]}`,
          `have ${commits[4]}`,
          `shallow ${commits[4]}`,
          "done",
        ]);
        const client = await peers.folders.make();
        const url = pair.urls[0];
        await git(client, ["init", "-q", "--bare", `--object-format=${format}`]);
        await git(client, ["fetch", "-q", "--depth=1", url, commits[4] as string]);
        await git(client, ["index-pack", "--stdin", "--fix-thin"], { input: pack });
        await git(client, ["cat-file", "-e", `${commits[1]}:dir/long.txt`]);
        await git(join(client), ["fsck", "--full"]);
      });
    });

    describe("wants by name", () => {
      it("are answered with the objects they stand for", async () => {
        const main = commits[5];
        const answer = await fetchAll([
          "want-ref refs/heads/main",
          "want-ref HEAD",
          `want ${commits[2]}`,
          "done",
        ]);
        expect(answer.order).toEqual(["wanted-refs", "packfile"]);
        expect(answer.sections["wanted-refs"]).toEqual([`${main} refs/heads/main`, `${main} HEAD`]);
        const folder = await peers.folders.make();
        await git(folder, ["init", "-q", "--bare", `--object-format=${format}`]);
        await git(folder, ["index-pack", "--stdin"], { input: answer.pack });
        await git(folder, ["cat-file", "-e", `${main}:dir/long.txt`]);
      });

      it("follow the borders, as the protocol orders the sections", async () => {
        const answer = await fetchAll(["want-ref refs/heads/main", "deepen 1", "done"]);
        expect(answer.order).toEqual(["shallow-info", "wanted-refs", "packfile"]);
        expect(answer.sections["shallow-info"]).toEqual([`shallow ${commits[5]}`]);
      });

      it("of names beyond ASCII come back byte for byte", async () => {
        await work.git("push", "-q", pair.urls[0], "main:refs/heads/größe");
        const name = Buffer.from("refs/heads/größe").toString("latin1");
        const answer = await fetchAll([`want-ref ${name}`, "done"]);
        expect(answer.sections["wanted-refs"]).toEqual([`${commits[5]} ${name}`]);
      });

      it.each([
        [["want-ref refs/heads/none"], "unknown ref refs/heads/none"],
        [["want-ref refs/heads/main", "want-ref refs/heads/main"], "duplicate want-ref"],
      ])("that can't be met are refused: %s", async (args, text) => {
        expect((await fetchAll([...args, "done"])).error).toContain(text);
      });
    });

    describe("wait-for-done", () => {
      it("holds the pack back however much is common, and acknowledges without any want", async () => {
        const have = [`have ${commits[4]}`, `have ${nowhere}`];
        const plain = await fetchAll([`want ${commits[5]}`, ...have]);
        expect(plain.sections.acknowledgments).toEqual([`ACK ${commits[4]}`, "ready"]);
        expect(plain.order).toEqual(["acknowledgments", "packfile"]);
        for (const wants of [[`want ${commits[5]}`], []]) {
          const waiting = await fetchAll([...wants, ...have, "wait-for-done"]);
          expect(waiting.order).toEqual(["acknowledgments"]);
          expect(waiting.sections.acknowledgments).toEqual([`ACK ${commits[4]}`]);
        }
      });

      it("lets git negotiate what to push before it packs", async () => {
        const client = await peers.folders.make();
        await git(client, ["clone", "-q", pair.urls[0], "copy"]);
        const copy = new WorkingCopy(join(client, "copy"));
        await copy.commit({ "pushed.txt": "negotiated\n" });
        const run = await copy.try(
          "-c",
          "push.negotiate=true",
          "push",
          "origin",
          "HEAD:refs/heads/negotiated",
        );
        expect(run).toMatchObject({ code: 0, stderr: expect.not.stringContaining("warning") });
      });
    });

    describe("sideband-all", () => {
      const args = () => ["thin-pack", `want ${commits[5]}`, `shallow ${commits[0]}`, `have ${commits[4]}`];

      it("puts every line on side-band 1, and the same lines as without it", async () => {
        const plain = await fetchAll(args());
        const banded = await fetchAll([...args(), "sideband-all"]);
        expect(banded.order).toEqual(["acknowledgments", "shallow-info", "packfile"]);
        expect({ ...banded, keepAlives: 0, progress: "" }).toEqual({ ...plain, keepAlives: 0, progress: "" });
      });

      it("gives refusals on side-band 3", async () => {
        const answer = await fetchAll([`want ${nowhere}`, "sideband-all", "done"]);
        expect(answer.error).toContain("not our ref");
        expect(answer.order).toEqual([]);
      });
    });

    describe("object-info", () => {
      const info = (args: readonly string[], url = pair.urls[0]) =>
        ask(url, commandOf(format, "object-info", args)).then((answer) => answer.text());

      it("tells sizes as git's own server does", async () => {
        const ids = [commits[0], commits[5], await work.git("rev-parse", "main:long.txt"), nowhere];
        const oids = ids.map((id) => `oid ${id}`);
        for (const args of [["size", ...oids], ["size"]]) {
          expect(await info(args)).toBe(await info(args, pair.urls[1]));
        }
        expect(await info(oids.slice(0, 1))).toBe(`${dataPacket(ids[0] as string)}0000`);
      });

      it("refuses what it does not know", async () => {
        expect(await info(["color"])).toContain("ERR object-info: unexpected line");
        expect(await info(["size", "oid x"])).toContain("malformed");
      });
    });

    describe("what clients say of themselves", () => {
      it("options and sessions are taken in every version", async () => {
        const keys = ["agent=git/3.0", "server-option=anything=1", "session-id=client-1"];
        expect((await fetchAll([`want ${commits[5]}`, "done"], keys)).pack.length).toBeGreaterThan(0);
        for (const version of ["0", "1", "2"]) {
          const options = ["-c", `protocol.version=${version}`, "-c", "transfer.advertiseSID=true"];
          const refs = await git(work.folder, [...options, "ls-remote", pair.urls[0], "main"]);
          expect(refs).toBe(`${commits[5]}\trefs/heads/main`);
          const bare = await peers.folders.make();
          await git(bare, ["init", "-q", "--bare", `--object-format=${format}`]);
          await git(bare, [...options, "fetch", "-q", pair.urls[0], "main"]);
        }
        await git(work.folder, ["ls-remote", "-o", "anything", pair.urls[0]]);
      });

      it("the server names its session, and what it can do", async () => {
        const text = async (version: string) => {
          const headers = version === "0" ? {} : { "git-protocol": `version=${version}` };
          return (await fetch(`${pair.urls[0]}/info/refs?service=git-upload-pack`, { headers })).text();
        };
        const second = await text("2");
        for (const line of [
          "fetch=shallow wait-for-done filter ref-in-want sideband-all\n",
          "object-info\n",
          "server-option\n",
          "ls-refs=unborn\n",
          "agent=coldforge/",
        ]) {
          expect(second).toContain(line);
        }
        expect(second).toMatch(/session-id=[!-~]+\n/);
        expect(await text("0")).toMatch(/ session-id=[!-~]+\n/);
      });

      it("the older side-band has packets of 1,000 bytes at most, and no side-band gives the bare pack", async () => {
        const lines = (capabilities: string) => [
          dataPacket(`want ${commits[5]} ${capabilities}\n`),
          flushPacket,
          dataPacket("done\n"),
        ];
        const banded = await ask(
          pair.urls[0],
          Buffer.concat(lines(`side-band ofs-delta object-format=${format}`)),
          "0",
        );
        const bytes = Buffer.from(await banded.arrayBuffer());
        const frames: Buffer[] = [];
        for (let at = 8; at < bytes.length; ) {
          const length = Number.parseInt(bytes.toString("latin1", at, at + 4), 16);
          expect(length).toBeLessThanOrEqual(1_000);
          if (length > 0 && bytes[at + 4] === 1) frames.push(bytes.subarray(at + 5, at + length));
          at += Math.max(length, 4);
        }
        const bare = await ask(pair.urls[0], Buffer.concat(lines(`ofs-delta object-format=${format}`)), "0");
        const pack = Buffer.from(await bare.arrayBuffer()).subarray(8);
        expect(pack.toString("latin1", 0, 4)).toBe("PACK");
        expect(Buffer.concat(frames).equals(pack)).toBe(true);
      });
    });
  });
}
