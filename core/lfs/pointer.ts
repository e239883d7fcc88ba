/** What a pointer file says of the object in whose place git keeps it. */
export interface LfsPointer {
  /** The SHA-256 of the content, in hex. */
  readonly oid: string;
  readonly sizeBytes: number;
}

/** Larger files are no pointers (git-lfs specification, "The Pointer"). */
export const mostPointerBytes = 1024;
/** And smaller ones: the id alone takes as many. */
export const leastPointerBytes = 64;

const versions =
  "https://(?:git-lfs\\.github\\.com/spec/v1|hawser\\.github\\.com/spec/v1|git-media\\.io/v/2)";
const extensions = "(?:ext-\\d-[^\\n]{1,200}\\n){0,10}";
const pointer = new RegExp(
  `^version ${versions}\\n${extensions}oid sha256:([0-9a-f]{64})\\nsize (\\d{1,16})\\n?$`,
);

const oidShape = /^[0-9a-f]{64}$/;

/** Whether a text is the id of an object: 64 hexadecimal digits in small letters. */
export const isLfsOid = (text: string): boolean => oidShape.test(text);

/** The pointer that a file's content is; undefined when it is none. */
export function readLfsPointer(content: Uint8Array): LfsPointer | undefined {
  if (content.length > mostPointerBytes) return undefined;
  const [, oid, size] = pointer.exec(Buffer.from(content).toString("utf8")) ?? [];
  if (oid === undefined || !Number.isSafeInteger(Number(size))) return undefined;
  return { oid, sizeBytes: Number(size) };
}

/** The file that git keeps in an object's place. */
export const lfsPointerFile = ({ oid, sizeBytes }: LfsPointer): Buffer =>
  Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${sizeBytes}\n`);
