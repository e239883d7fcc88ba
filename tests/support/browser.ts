/** An answer as a browser would show it. */
export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where the browser is told to go, as it was written; undefined when nowhere. */
  readonly location: string | undefined;
  readonly forms: readonly ShownForm[];
}

export interface ShownForm {
  readonly action: string;
  /** The fields with the values that they have. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Keeps cookies and fills in forms as a browser does, without following redirects by itself. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(origin: string, headers: Readonly<Record<string, string>> = {}) {
    this.origin = origin;
    this.headers = headers;
  }

  /** `address` may be a path here. */
  get(address: string, headers: Readonly<Record<string, string>> = {}): Promise<Shown> {
    return this.#ask(address, { headers });
  }

  /** Sends fields as a form of a page of ours would. */
  post(
    address: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Shown> {
    const sent = { origin: this.origin, "sec-fetch-site": "same-origin", ...headers };
    return this.#ask(address, { method: "POST", headers: sent, body: new URLSearchParams(fields) });
  }

  /** Fills in the first form of a page, or the one at a place, and sends it. */
  submit(page: Shown, fields: Readonly<Record<string, string>>, at = 0): Promise<Shown> {
    const form = page.forms[at];
    if (form === undefined) throw new Error(`the page has no form ${at}: ${page.status} ${page.text}`);
    return this.post(form.action, { ...form.fields, ...fields });
  }

  async #ask(address: string, { headers, ...init }: RequestInit): Promise<Shown> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(new URL(address, this.origin), {
      ...init,
      redirect: "manual",
      headers: { ...this.headers, ...(cookie === "" ? {} : { cookie }), ...(headers as object) },
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const text = await response.text();
    return {
      ...{ status: response.status, headers: response.headers, text },
      location: response.headers.get("location") ?? undefined,
      forms: formsIn(text),
    };
  }

  #keep(line: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/; Max-Age=0(?:;|$)/i.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

const plain = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

const attribute = (tag: string, name: string): string =>
  plain(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "");

function formsIn(text: string): ShownForm[] {
  return [...text.matchAll(/<form [^>]*>.*?<\/form>/gs)].map(([form]) => {
    const inputs = [...form.matchAll(/<(?:input|button) [^>]*>/g)].map(([tag]) => tag);
    return {
      action: attribute(form, "action"),
      fields: Object.fromEntries(inputs.map((tag) => [attribute(tag, "name"), attribute(tag, "value")])),
    };
  });
}
