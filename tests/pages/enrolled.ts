import { basic, type TestApi } from "#tests/support/api";
import { codeOf, wrongCodes } from "#tests/support/second-factor";

/** A user whose second factor is on, in a half minute whose code was not used yet. */
export async function makeEnrolled(api: TestApi) {
  const caller = await api.makeUser();
  const headers = basic(caller.name, caller.password);
  const { secret } = (await api.call("POST", "/user/two_factor", { headers })).json;
  const body = { code: codeOf(secret, api.clock.now()) };
  const on = await api.call("PUT", "/user/two_factor", { headers, body });
  api.clock.advance(60_000);
  const now = () => codeOf(secret, api.clock.now());
  const wrong = (count: number) => wrongCodes(secret, api.clock.now(), count);
  return { caller, now, wrong, spare: on.json.scratch_codes as string[] };
}
