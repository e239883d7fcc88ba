import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { BerReader, BerWriter } from "ldapts";

/** An entry as the stub shows it. */
export interface StubEntry {
  readonly dn: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What the stub answers; result codes are LDAP's: 0 success, 49 wrong password, 51 busy. */
export interface StubAnswers {
  bind(dn: string, password: string): number;
  search?(base: string): StubEntry[];
}

/** A directory in this process that answers what a test says: for faults, and for counting. */
export interface DirectoryStub {
  readonly url: string;
  /** DNs that were bound, in their order. */
  readonly binds: string[];
  stop(): Promise<void>;
}

const application = { bind: 0x60, bound: 0x61, search: 0x63, entry: 0x64, done: 0x65 };

/** Starts it; `speaks: false` takes connections and never says a word. */
export async function startDirectoryStub(
  answers: StubAnswers,
  { speaks = true }: { speaks?: boolean } = {},
): Promise<DirectoryStub> {
  const binds: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("data", (data) => {
      if (speaks) for (const message of messagesIn(data)) socket.write(answerTo(message, answers, binds));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`,
    binds,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Requests are small: each packet holds whole ones. */
function messagesIn(data: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at + 2 <= data.length; ) {
    const first = data[at + 1] ?? 0;
    const size = first < 0x80 ? first : data.readUIntBE(at + 2, first & 0x7f);
    const end = at + 2 + (first < 0x80 ? 0 : first & 0x7f) + size;
    messages.push(data.subarray(at, end));
    at = end;
  }
  return messages;
}

function answerTo(message: Buffer, answers: StubAnswers, binds: string[]): Buffer {
  const reader = new BerReader(message);
  reader.readSequence();
  const id = reader.readInt() ?? 0;
  const operation = reader.readSequence();
  if (operation === application.bind) {
    reader.readInt();
    const dn = reader.readString() ?? "";
    binds.push(dn);
    return result(id, application.bound, answers.bind(dn, reader.readString(0x80) ?? ""));
  }
  if (operation !== application.search) return Buffer.alloc(0);
  const found = answers.search?.(reader.readString() ?? "") ?? [];
  return Buffer.concat([...found.map((one) => entry(id, one)), result(id, application.done, 0)]);
}

function result(id: number, operation: number, code: number): Buffer {
  const writer = new BerWriter();
  writer.startSequence();
  writer.writeInt(id);
  writer.startSequence(operation);
  writer.writeEnumeration(code);
  writer.writeString("");
  writer.writeString("");
  writer.endSequence();
  writer.endSequence();
  return writer.buffer;
}

function entry(id: number, { dn, attributes }: StubEntry): Buffer {
  const writer = new BerWriter();
  writer.startSequence();
  writer.writeInt(id);
  writer.startSequence(application.entry);
  writer.writeString(dn);
  writer.startSequence();
  for (const [name, value] of Object.entries(attributes)) {
    writer.startSequence();
    writer.writeString(name);
    writer.startSequence(0x31);
    writer.writeString(value);
    writer.endSequence();
    writer.endSequence();
  }
  writer.endSequence();
  writer.endSequence();
  writer.endSequence();
  return writer.buffer;
}
