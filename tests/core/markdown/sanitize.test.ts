import { Parser } from "htmlparser2";
import { describe, expect, it } from "vitest";
import { render } from "#core/markdown/internal/render";
import { createRandom } from "#tests/support/random";

/** Tricks that make a text run as a program, elsewhere. */
const tricks = [
  "<script>alert(1)</script>",
  "<ScRiPt src=//e.example></sCrIpT >",
  "<script\n>alert(1)//",
  "<<script>alert(1)//<</script>",
  "<scr<script>ipt>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<img src=x onerror\n=alert(1)//",
  '<img src="x` `<script>alert(1)</script>"` `>',
  '<img """><script>alert(1)</script>">',
  "<img/src=`x`onerror=alert(1)>",
  "<a href='javascript:alert(1)'>x</a>",
  "<a href='jAvAsCrIpT:alert(1)'>x</a>",
  "<a href='java\tscript:alert(1)'>x</a>",
  "<a href='java&#x0A;script:alert(1)'>x</a>",
  "<a href='&#106;&#97;vascript&colon;alert(1)'>x</a>",
  "<a href='\u0001javascript:alert(1)'>x</a>",
  "<a href=' &#14; javascript:alert(1)'>x</a>",
  "<a href='\u00a0javascript:alert(1)'>x</a>",
  "<a href='data:text/html;base64,PHNjcmlwdD4='>x</a>",
  "<a href='vbscript:x'>x</a>",
  "<a href='//evil.example' target=_blank style='position:fixed' onclick=x>x</a>",
  "[x](javascript:alert(1))",
  "[x](java&#115;cript:alert(1))",
  "[x](<java\tscript:alert(1)>)",
  "[x](  JaVaScRiPt:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x]: javascript:alert(1)\n\n[x]",
  "![x](javascript:alert(1))",
  "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
  '![x"onerror="alert(1)](x)',
  '[x](https://a.example "\\" onmouseover=alert(1) ")',
  "<javascript:alert(1)>",
  "<https://a.example/'onclick='alert(1)>",
  '```"><script>alert(1)</script>\ncode\n```',
  "<svg onload=alert(1)>",
  "<svg><script>alert(1)</script></svg>",
  "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
  "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
  "<math href='javascript:alert(1)'>x</math>",
  "<iframe src=javascript:alert(1)>",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<object data=javascript:alert(1)></object><embed src=x>",
  "<form action=javascript:alert(1)><button formaction=javascript:alert(1)>x</button></form>",
  "<input autofocus onfocus=alert(1)><input type=image src=x>",
  "<input type=checkbox onchange=alert(1) name=x>",
  "<style>@import 'javascript:alert(1)'</style>",
  "<div style='background:url(javascript:alert(1))'>x</div>",
  "<link rel=stylesheet href=javascript:alert(1)><meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
  "<base href='javascript:alert(1)//'>",
  "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
  "<textarea><img title='</textarea><img src=x onerror=alert(1)>'>",
  "<xmp><p title='</xmp><img src=x onerror=alert(1)>'>",
  "<template><script>alert(1)</script></template>",
  "<!--<img src='--><img src=x onerror=alert(1)//'>",
  "<!--><img src=x onerror=alert(1)>-->",
  "<![CDATA[<img src=x onerror=alert(1)>]]>",
  "<?xml-stylesheet href='javascript:alert(1)'?>",
  "<details open ontoggle=alert(1)>x</details>",
  "<video><source onerror=alert(1)></video><audio src=x onerror=alert(1)>",
  "<h1 id=location name=x class='container fixed'>x</h1>",
  "<p id=user-content-a onclick=x>x</p>",
  "@<script>alert(1)</script> #1<img src=x onerror=alert(1)>",
  '[[javascript:alert(1)]] [[x" onclick="alert(1)|y]]',
  "[^1]: <script>alert(1)</script>\n\nx[^1]",
];

const tags = new Set(
  (
    "h1 h2 h3 h4 h5 h6 br b i strong em a pre code img tt div ins del sup sub p ol ul li table thead tbody tfoot tr th " +
    "td blockquote q hr s details summary section input span kbd"
  ).split(" "),
);
const attributes = new Set(
  "id class title align href rel src alt type checked disabled start open".split(" "),
);

/** The parts of some HTML that a browser would take for more than text. */
function harmIn(html: string): string[] {
  const harm: string[] = [];
  const parser = new Parser({
    onopentag(tag, given) {
      if (!tags.has(tag)) harm.push(`<${tag}>`);
      for (const [name, value] of Object.entries(given)) {
        if (!attributes.has(name)) harm.push(`${tag} ${name}`);
        if (name === "id" && !value.startsWith("user-content-")) harm.push(`id ${value}`);
        const isAddress = name === "href" || name === "src";
        if (isAddress && !/^(https?:|mailto:|ftp:|tel:|[^:]*([/?#]|$))/i.test(value))
          harm.push(`${name} ${value}`);
      }
      if (tag === "a" && "href" in given && given.rel !== "nofollow") harm.push("a without nofollow");
      if (tag === "input" && (given.type !== "checkbox" || !("disabled" in given))) harm.push("an input");
    },
    oncomment: () => harm.push("a comment"),
    onprocessinginstruction: () => harm.push("an instruction"),
  });
  parser.end(html);
  return harm;
}

const references = { rootUrl: "https://forge.example", repository: { owner: "ada", name: "engine" } };
const base = "https://forge.example/ada/engine";
const rendered = (text: string) => [
  render(text, { mode: "markdown" }),
  render(text, { mode: "comment", references, linkBase: base, imageBase: base }),
];

describe("what may do harm (semantics §28)", () => {
  it("is left out, whatever trick hides it", () => {
    for (const trick of tricks) {
      for (const html of rendered(trick)) expect(harmIn(html), trick).toEqual([]);
    }
  });

  it("is left out of tricks that are cut and put together at random", () => {
    const random = createRandom();
    for (let round = 0; round < 100; round += 1) {
      const pieces = Array.from({ length: 3 }, () => {
        const trick = random.pick(tricks);
        return trick.slice(random.integer(trick.length), random.integer(trick.length) + 1) || trick;
      });
      const text = pieces.join(random.pick(["", " ", "\n\n", "> ", "`", "*", "<", "|"]));
      for (const html of rendered(text)) expect(harmIn(html), `${random.seed}: ${text}`).toEqual([]);
    }
  });

  it("goes with its content where that is no text; the rest of the text stays", () => {
    expect(render("# a\n**b** <script>x</script>", { mode: "markdown" })).toBe(
      '<h1 id="user-content-a">a</h1>\n<p><strong>b</strong> </p>\n',
    );
    expect(render("[x](javascript:1)", { mode: "markdown" })).toBe("<p><a>x</a></p>\n");
  });
});
