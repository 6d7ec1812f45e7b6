import ICAL from 'ical.js';
import { eventLoop } from '../core/runtime/event-loop.ts';
import type { Path, Reason, WarningReason } from '../core/errors.ts';
import { groupByKey } from '../core/json.ts';
import type { Report } from '../core/report.ts';

/** Unfolded content line (RFC 5545, section 3.1). */
export interface ContentLine {
  /** Name of the property, in capitals. */
  readonly name: string;
  /** The whole line, with name, parameters and value. */
  readonly text: string;
  /** Number of the property's first line in the text, from 1. */
  readonly lineNumber: number;
}

/** Component of a calendar text, with its content lines and inner components. */
export interface Component {
  /** Name in capitals, such as VEVENT. */
  readonly name: string;
  /** Number of its BEGIN line in the text, from 1. */
  readonly beginLineNumber: number;
  readonly lines: readonly ContentLine[];
  readonly components: readonly Component[];
}

/** Text that is not iCalendar. Lines and columns count from 1. */
export class SyntaxFailure extends Error {
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column = 1) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** Maximum nesting of components: a calendar, an event, an alarm, and as many levels again for extensions. */
const maxDepth = 6;
/** Lines that are read before other requests get a turn. */
const linesPerTurn = 200;

interface OpenComponent extends Component {
  readonly lines: ContentLine[];
  readonly components: Component[];
}

/** Parses the VCALENDARs of a text and lets other requests run in between. Throws SyntaxFailure. */
export async function parseCalendars(text: string): Promise<readonly Component[]> {
  const root: OpenComponent = { name: '', beginLineNumber: 1, lines: [], components: [] };
  const openComponents: OpenComponent[] = [root];
  let lastTurnLineNumber = 1;
  for (const contentLine of unfold(text)) {
    if (contentLine.lineNumber - lastTurnLineNumber >= linesPerTurn) {
      lastTurnLineNumber = contentLine.lineNumber;
      await eventLoop.enter();
    }
    addLine(openComponents, contentLine);
  }
  const unclosedComponent = openComponents.at(-1) as OpenComponent;
  if (unclosedComponent !== root)
    throw new SyntaxFailure(`BEGIN:${unclosedComponent.name} has no END.`, unclosedComponent.beginLineNumber);
  if (root.components.length === 0) throw new SyntaxFailure('The text has no BEGIN:VCALENDAR.', 1);
  return root.components;
}

/** Adds a line to the innermost open component, or opens or closes a component. Throws SyntaxFailure. */
function addLine(componentStack: OpenComponent[], { name, text, lineNumber }: ContentLine): void {
  const currentComponent = componentStack.at(-1) as OpenComponent;
  const componentName = (): string =>
    text
      .slice(name.length + 1)
      .trim()
      .toUpperCase();
  if (componentStack.length === 1 && (name !== 'BEGIN' || componentName() !== 'VCALENDAR'))
    throw new SyntaxFailure('The text must begin with BEGIN:VCALENDAR.', lineNumber);
  if (name === 'BEGIN') {
    if (componentStack.length > maxDepth)
      throw new SyntaxFailure(`Components may be ${maxDepth} levels deep.`, lineNumber);
    const component = { name: componentName(), beginLineNumber: lineNumber, lines: [], components: [] };
    currentComponent.components.push(component);
    componentStack.push(component);
  } else if (name === 'END') {
    if (componentName() !== currentComponent.name)
      throw new SyntaxFailure(`END:${currentComponent.name} must come first.`, lineNumber);
    componentStack.pop();
  } else currentComponent.lines.push({ name, text, lineNumber });
}

const namePattern = /^[A-Za-z0-9-]+/;

/** Splits a text, which may have a byte order mark, into unfolded lines, without empty ones. */
function* unfold(text: string): Generator<ContentLine> {
  let [firstLineNumber, pieces] = [0, [] as string[]];
  for (const [index, piece] of text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    if (/^[ \t]/.test(piece) && pieces.length > 0) {
      pieces.push(piece.slice(1));
      continue;
    }
    if (pieces.length > 0) yield toContentLine(pieces.join(''), firstLineNumber);
    [firstLineNumber, pieces] = [index + 1, piece.trim() === '' ? [] : [piece]];
  }
  if (pieces.length > 0) yield toContentLine(pieces.join(''), firstLineNumber);
}

function toContentLine(text: string, lineNumber: number): ContentLine {
  const [name = ''] = namePattern.exec(text) ?? [];
  if (name === '' || !';:'.includes(text.charAt(name.length)) || text.length === name.length)
    throw new SyntaxFailure(
      'A line must be a name, parameters, a colon and a value.',
      lineNumber,
      name.length + 1,
    );
  return { name: name.toUpperCase(), text, lineNumber };
}

/** Property with its decoded values. */
export interface Property {
  readonly name: string;
  /** Parameters by their names in lower case. */
  readonly parameters: Readonly<Record<string, string | readonly string[]>>;
  /** Type of the values, such as `date-time`. */
  readonly type: string;
  readonly values: readonly unknown[];
  /** Value that is not decoded. */
  readonly rawValue: string;
}

/** Maximum length (characters) of the parameters of a line, since the time for decoding grows with their number. */
const maxParametersLength = 10_000;

/** Decodes a content line; undefined if it is not valid. */
export function readProperty(line: ContentLine): Property | undefined {
  const { name, text } = line;
  if (parametersTextOf(line).length > maxParametersLength) return undefined;
  try {
    const [, parameters, type, ...values] = ICAL.parse.property(text, ICAL.design.icalendar) as [
      string,
      Property['parameters'],
      string,
      ...unknown[],
    ];
    return { name, parameters, type, values, rawValue: rawValueOf(line) };
  } catch {
    return undefined;
  }
}

/** Returns the value of a line, not decoded. */
export const rawValueOf = (line: ContentLine): string =>
  line.text.slice(line.name.length + parametersTextOf(line).length + 1);

/** Returns the text of a line's parameters. Quoted parameters may contain colons. */
const parametersTextOf = ({ name, text }: ContentLine): string =>
  (/^(?:;[^;:="]*=(?:"[^"]*"|[^";:])*)*/.exec(text.slice(name.length)) as RegExpExecArray)[0];

/** Returns the first value of a parameter. `name` is in lower case. */
export function parameterOf({ parameters }: Property, name: string): string | undefined {
  const value = parameters[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** Reads the properties of one component of a file, and reports their problems by paths of the file. */
export type ComponentReader = ReturnType<typeof createComponentReader>;

/** Creates the reader of a component. `index`: its position among all components of the text. */
export function createComponentReader({ lines }: Component, index: number, report: Report) {
  const linesByName = groupByKey(lines, ({ name }) => name);
  const pathTo = (name: string, ...subPath: Path): Path => ['icalendar', index, name, ...subPath];
  const linesOf = (name: string): readonly ContentLine[] => linesByName.get(name) ?? [];
  const issue = (name: string, message: string, reason: Reason = 'invalid'): void =>
    report.addIssue(pathTo(name), reason, message);
  const warn = (path: Path, message: string, reason: WarningReason = 'ignored'): void =>
    report.warn(path, reason, message);

  /** Decodes the property of a line; undefined, with an issue, if it is not valid. */
  function propertyOf(line: ContentLine): Property | undefined {
    const property = readProperty(line);
    if (!property) issue(line.name, `Line ${line.lineNumber} of the text is not a valid property.`);
    return property;
  }
  /** Decoded properties of a name without those that are not valid. */
  const propertiesOf = (name: string): Property[] => linesOf(name).flatMap((line) => propertyOf(line) ?? []);
  const textOf = (name: string): string | undefined => {
    const value = propertiesOf(name)[0]?.values.join(',');
    return value === '' ? undefined : value;
  };

  return { linesOf, propertyOf, propertiesOf, textOf, pathTo, issue, warn };
}
