/** A label in a set. */
export interface TemplateLabel {
  readonly name: string;
  /** `#` and six hex digits. */
  readonly color: string;
  readonly description: string;
  readonly isExclusive: boolean;
}

const plain = (name: string, color: string, description: string): TemplateLabel => ({
  name,
  color,
  description,
  isExclusive: false,
});
const exclusive = (name: string, color: string, description: string): TemplateLabel => ({
  name,
  color,
  description,
  isExclusive: true,
});

const usual = [
  plain("bug", "#d73a4a", "It does not work as promised"),
  plain("duplicate", "#cfd3d7", "Told in another issue already"),
  plain("enhancement", "#a2eeef", "Something new, or something better"),
  plain("help wanted", "#008672", "Waits for somebody to take it on"),
  plain("invalid", "#e4e669", "Nothing that can be acted on here"),
  plain("question", "#d876e3", "Asks for more information"),
  plain("wontfix", "#ffffff", "Will stay as it is"),
];

const scoped = [
  plain("Kind/Bug", "#ee0701", "It does not work as promised"),
  plain("Kind/Documentation", "#37474f", "Texts to write or to correct"),
  plain("Kind/Enhancement", "#84b6eb", "Makes better what is there"),
  plain("Kind/Feature", "#0288d1", "Something new"),
  plain("Kind/Security", "#9c27b0", "A weakness, or protection against one"),
  plain("Kind/Testing", "#795548", "Tests alone"),
  plain("Kind/Breaking", "#c62828", "Users have to change something with it"),
  exclusive("Priority/Critical", "#b71c1c", "Before everything else"),
  exclusive("Priority/High", "#d32f2f", "Soon"),
  exclusive("Priority/Medium", "#e64a19", "In its turn"),
  exclusive("Priority/Low", "#4caf50", "When there is time"),
  exclusive("Reviewed/Confirmed", "#795548", "Somebody else saw it, too"),
  exclusive("Reviewed/Duplicate", "#616161", "Told in another issue already"),
  exclusive("Reviewed/Invalid", "#546e7a", "Nothing that can be acted on here"),
  exclusive("Reviewed/Won't Fix", "#eeeeee", "Will stay as it is"),
  exclusive("Status/Need More Info", "#424242", "Waits for an answer of its author"),
  exclusive("Status/Blocked", "#880e4f", "Waits for something else"),
  exclusive("Status/Abandoned", "#222222", "Nobody works on it any more"),
];

/** The sets of labels that a repository may begin with, by name. */
const sets: ReadonlyMap<string, readonly TemplateLabel[]> = new Map([
  ["Default", usual],
  ["Advanced", scoped],
]);

export const listLabelSets = (): string[] => [...sets.keys()];

/** The set with exactly this name, or undefined. */
export const findLabelSet = (name: string): readonly TemplateLabel[] | undefined => sets.get(name);
