import { describeDamagedPacks } from "./damaged-packs-suite.ts";

describeDamagedPacks(2_000);
