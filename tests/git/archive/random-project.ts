import type { Random } from "#tests/support/random";

const folders = [
  "",
  "src/",
  "src/deep/",
  "docs/",
  "größe/",
  "odd \xff name/",
  `${"long-".repeat(19)}x/`,
  "a/b/c/d/",
];
const names = [
  "a.txt",
  "b.TXT",
  "run.sh",
  "x.bin",
  "ignored.o",
  "version",
  "[x].c",
  "\xe9",
  "-dash",
  "sp ace",
  'q"uote',
];
const longNames = [
  `${"n".repeat(99)}`,
  `${"m".repeat(101)}.txt`,
  `${"p/".repeat(60)}f`,
  `${"q".repeat(90)}/${"r".repeat(90)}`,
];
const states = [
  "export-ignore",
  "-export-ignore",
  "!export-ignore",
  "export-subst",
  "-export-subst",
  "export-ignore=x",
];
const texts = [
  "text",
  "text=auto",
  "-text",
  "binary",
  "eol=crlf",
  "eol=lf",
  "text eol=crlf",
  "text=auto eol=crlf",
  "ident",
];
const patterns = [
  ...[
    "*.txt",
    "*.o",
    "src",
    "src/",
    "/docs",
    "docs/*",
    "**/a.txt",
    "src/**",
    "a/**/d",
    "/*",
    "b.*",
    "[ab].txt",
  ],
  ...[
    "[!a-c]*",
    "**",
    "*/deep",
    "deep/",
    '"sp ace"',
    '"q\\"uote"',
    "version",
    "\\[x\\].c",
    "[[:alpha:]].txt",
    "?.txt",
  ],
  ...[
    "gr*e",
    "!a.txt",
    "#x",
    "mod",
    "mod/",
    "n*",
    "a/b/c/**",
    "**/c/d/",
    "[x",
    "[z-a]",
    "[]x]*",
    "*[.]sh",
    "**a.txt",
  ],
];
const placeholders = [
  ..."H h T t P p an ae al aN aE aL ad aD at ai aI as cn ce cl cd cD ct ci cI cs s f b B e n % x41 d D zz".split(
    " ",
  ),
];

/** A line of a .gitattributes file. */
function attributeLine(random: Random): string {
  if (random.chance(0.1)) return `[attr]mine ${random.pick(states)} ${random.pick(texts)}`;
  if (random.chance(0.1)) return `${random.pick(patterns)} mine`;
  if (random.chance(0.05))
    return random.pick(["# a comment", "", "*.txt -", "*.txt bad^name export-ignore", "lonely"]);
  const words = random.some([...states, ...texts], 2);
  return `${random.chance(0.1) ? "\t " : ""}${random.pick(patterns)}  ${words.join(" ")}`;
}

function content(random: Random): string {
  const kind = random.integer(6);
  if (kind === 0) return "";
  if (kind === 1) return `\0binary${random.integer(1000)}\n`;
  if (kind === 2) return `one\r\ntwo\n${random.integer(9)}\n`;
  if (kind === 3) return `$Id$ and $Id: old $ and $Id: a b c $ $Id:$ $Identity$\n${random.integer(9)}`;
  const lines = Array.from({ length: 1 + random.integer(30) }, () => {
    const format = random.some(placeholders, 3).map((one) => `%${one}`);
    return random.chance(0.4) ? `$Format:${format.join(" ")}$` : `line ${random.integer(100)}`;
  });
  return `${lines.join("\n")}\n${random.chance(0.2) ? "$Format: %H has no end" : ""}`;
}

const data = (text: string): string => `data ${Buffer.byteLength(text, "latin1")}\n${text}\n`;

const quoted = (path: string): string =>
  `"${path.replace(/[^ !#-[\]-~]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, "0")}`)}"`;

const messages = [
  "Subject\n",
  "\n\nSubject after lines\ngoes on\n\nBody\n\nmore\n",
  "Weird..: subject (with) söme/things.\n\nBody without end",
  "no newline",
  " leading and trailing \n\n\n\nBody\n\n",
];

/** One commit for `git fast-import`, in latin1: files of all kinds, odd and long names, attributes at several depths. */
export function projectCommit(random: Random, number: number, submodule: string): string {
  const edits = ["deleteall\n"];
  for (const folder of random.some(folders, 6)) {
    for (const name of random.some(random.chance(0.3) ? [...names, ...longNames] : names, 6)) {
      const path = quoted(folder + name);
      const mode = random.pick(["100644", "100644", "100755", "120000"]);
      const link = random.chance(0.2) ? "t".repeat(120) : "a.txt";
      edits.push(`M ${mode} inline ${path}\n${data(mode === "120000" ? link : content(random))}`);
    }
    if (random.chance(0.5)) {
      const lines = Array.from({ length: random.integer(8) }, () => attributeLine(random));
      edits.push(`M 100644 inline ${quoted(`${folder}.gitattributes`)}\n${data(`${lines.join("\n")}\n`)}`);
    }
    if (random.chance(0.2)) edits.push(`M 160000 ${submodule} ${quoted(`${folder}mod`)}\n`);
  }
  const zone = random.pick(["+0000", "+0130", "-0800", "-0030"]);
  const who = (name: string) =>
    `${name} <${name.toLowerCase()}@example.org> ${1e9 + random.integer(1e9)} ${zone}`;
  const isLatin1 = random.chance(0.2);
  const message = Buffer.from(random.pick(messages), isLatin1 ? "latin1" : "utf8").toString("latin1");
  return (
    `commit refs/heads/main\nauthor ${who("Ada")}\ncommitter ${who("Ben")}\n` +
    `${isLatin1 ? "encoding ISO-8859-1\n" : ""}${data(message)}${edits.join("")}\n` +
    (number % 3 === 0 ? `reset refs/heads/side-${number}\nfrom refs/heads/main\n\n` : "")
  );
}
