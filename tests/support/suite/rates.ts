/**
 * What tests may send by default (D-RATE): they send in a second what nobody does in a minute, and their clocks stand
 * still. Nothing is switched off, so that all of them go through it.
 */
export const endlessRates = {
  RATE_LIGHT: "1000000",
  RATE_HEAVY: "1000000",
  RATE_GIT: "1000000",
  RATE_PASSWORDS: "1000000",
};

/** Rates that a test can use up. */
export const lowRates = { RATE_LIGHT: "6000", RATE_HEAVY: "600", RATE_GIT: "600", RATE_PASSWORDS: "30" };
