import { expect, it } from "vitest";
import { badRequest } from "#core/errors";
import { readForm } from "#functions/http/body/file-form";

const boundary = "between";
const type = `multipart/form-data; boundary=${boundary}`;
const beginning = [
  `--${boundary}`,
  'Content-Disposition: form-data; name="attachment"; filename="a.txt"',
  "Content-Type: text/plain",
  "",
  "the first words",
].join("\r\n");

it("a form whose client falls silent in the middle of its file is refused, and what keeps the file is told", async () => {
  async function* silent() {
    yield Buffer.from(beginning);
    throw badRequest("nothing came from the client for 60 s");
  }
  let told: unknown;
  const keep = async ({ bytes }: { bytes: AsyncIterable<Uint8Array> }) => {
    try {
      for await (const piece of bytes) expect(piece.length).toBeGreaterThan(0);
    } catch (error) {
      told = error;
      throw error;
    }
  };
  await expect(readForm(type, silent(), "attachment", keep)).rejects.toThrow("nothing came from the client");
  expect((told as Error).message).toContain("nothing came from the client");
});
