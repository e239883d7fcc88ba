import {
  addArtifactPiece,
  announceArtifactPiece,
  mostArtifactBytes,
  orderArtifactPieces,
  type PiecePlace,
} from "#core/artifact/pieces";
import { badRequest, unauthorized } from "#core/errors";
import { jsonAnswer } from "./answer.ts";
import type { ArtifactRequest } from "./request.ts";
import type { UploadLink } from "./upload-link.ts";

/** A list of 4,000 blocks, each with an id of a hundred characters. */
const mostListBytes = 2 ** 20;
/** The id of the one block of an upload without `comp`: no client's own can be it. */
const wholeBlock = "\0whole";

type Asked = ArtifactRequest & { readonly link: UploadLink };

const created = (): Response => new Response(null, { status: 201 });

/** Where a piece goes: `blockid` in a query may have lost its plus signs. */
function placeIn({ searchParams }: URL): PiecePlace {
  const block = searchParams.get("blockid");
  return block === null ? "appended" : { block: block.replaceAll(" ", "+") };
}

/** Takes a piece, the order of blocks, or everything at once (semantics §62.2). */
export async function takeUpload(asked: ArtifactRequest): Promise<Response> {
  const { link } = asked;
  if (link === undefined) throw unauthorized("the address of an upload is expected");
  const comp = asked.url.searchParams.get("comp")?.toLowerCase();
  const take = comp === undefined ? takeWhole : comps.get(comp);
  if (take === undefined) throw badRequest("comp is block, appendblock, blocklist or announce");
  return take({ ...asked, link });
}

async function takePiece({ forge, url, link, body }: Asked): Promise<Response> {
  const content = await body.file(mostArtifactBytes(forge));
  await addArtifactPiece(forge, link.upload, placeIn(url), content);
  return created();
}

/** In place of whatever came before. */
async function takeWhole({ forge, link, body }: Asked): Promise<Response> {
  const content = await body.file(mostArtifactBytes(forge));
  await addArtifactPiece(forge, link.upload, { block: wholeBlock }, content);
  await orderArtifactPieces(forge, link.upload, [wholeBlock]);
  return created();
}

async function takeOrder({ forge, link, body }: Asked): Promise<Response> {
  await orderArtifactPieces(forge, link.upload, blocksIn((await body.bytes(mostListBytes)).toString("utf8")));
  return created();
}

const blockForm = /<(Latest|Committed|Uncommitted)>([^<]*)<\/\1>/g;
const [opening, closing] = ["<BlockList>", "</BlockList>"];

/** The ids in a block list, in their order. BadRequest for what is none. */
function blocksIn(text: string): string[] {
  const root = text.slice(text.startsWith("<?xml") ? text.indexOf("?>") + 2 : 0).trim();
  const list = root.slice(opening.length, -closing.length);
  const isList = root.startsWith(opening) && root.endsWith(closing);
  if (!isList || list.replaceAll(blockForm, "").trim() !== "") {
    throw badRequest("the body is no BlockList in XML");
  }
  return [...list.matchAll(blockForm)].map(([, , id = ""]) => id.trim());
}

/**
 * Answers where a block of `size` bytes goes: to S3 itself, for blocks that are more than a request may have on Lambda
 * (docs/limits.md); here on one machine.
 */
async function announce({ forge, url, link }: Asked): Promise<Response> {
  const sizeBytes = Number(url.searchParams.get("size") ?? "");
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 1) throw badRequest("size is a number of bytes");
  const direct = await announceArtifactPiece(forge, link.upload, placeIn(url), sizeBytes);
  if (direct !== undefined) return jsonAnswer(200, { upload_url: direct });
  const here = new URL(`${forge.config.rootUrl}${url.pathname}${url.search}`);
  here.searchParams.delete("size");
  here.searchParams.set("comp", "block");
  return jsonAnswer(200, { upload_url: here.href });
}

const comps: ReadonlyMap<string, (asked: Asked) => Promise<Response>> = new Map([
  ["block", takePiece],
  ["appendblock", takePiece],
  ["blocklist", takeOrder],
  ["announce", announce],
]);
