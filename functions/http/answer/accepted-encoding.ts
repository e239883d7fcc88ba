import { parseAccept } from "hono/utils/accept";

/**
 * The one of these content codings that a client likes best, the first of several that it likes alike; undefined when it
 * wants the bytes as they are, or names none of them (RFC 9110, section 12.5.3).
 */
export function acceptedEncoding<Coding extends string>(
  { headers }: Request,
  offered: readonly Coding[],
): Coding | undefined {
  const accepted = parseAccept(headers.get("accept-encoding") ?? "");
  const weightOf = (name: string): number | undefined =>
    accepted.find(({ type }) => type.toLowerCase() === name)?.q;
  const others = weightOf("*") ?? 0;
  let best: { readonly name: Coding; readonly weight: number } | undefined;
  for (const name of offered) {
    const weight = weightOf(name) ?? others;
    if (weight > (best?.weight ?? 0)) best = { name, weight };
  }
  return best !== undefined && best.weight >= (weightOf("identity") ?? 0) ? best.name : undefined;
}
