/** The product's own version: the one of package.json, as a test checks. */
export const productVersion = "0.1.0";
