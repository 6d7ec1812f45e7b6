import { errorsOf as errorsOfResponse } from '../../../clients/apollo.ts';
import type { Issue } from 'resource-gateway/client';
import { fieldErrors, messageOf as messageOfErrors, type GatewayError } from '../../../clients/errors.ts';
import { RefusalError } from './refusal.ts';

/** Messages by the path of their field, such as `attendees.0.email`; messages about no field have the path ''. */
export type FieldErrors = Readonly<Record<string, string>>;

/** Errors of a failed mutation, sorted for a form. */
export interface Failure {
  readonly errorsByField: FieldErrors;
  /** Whether somebody else changed the object since it was read. */
  readonly isConflict: boolean;
  /** Whether the object no longer exists. */
  readonly isMissing: boolean;
}

type Path = Issue['path'];

/** Sorts the errors of a mutation by the fields of `argument`. `toFormPath` maps a path of the argument to the form. */
export function failureOf(
  error: unknown,
  argument: string,
  toFormPath: (path: Path) => Path = (path) => path,
): Failure {
  const errors = errorsOf(error).map((gatewayError) =>
    mapIssues(gatewayError, (issue) => ({ ...rephraseIssue(issue), path: toFormPath(issue.path) })),
  );
  const includesCode = (code: string): boolean => errors.some(({ extensions }) => extensions?.code === code);
  return {
    errorsByField: fieldErrors(errors, argument),
    isConflict:
      includesCode('PRECONDITION_FAILED') || (error instanceof RefusalError && error.kind === 'conflict'),
    isMissing: includesCode('NOT_FOUND'),
  };
}

/** Describes an error in one text for people. */
export const messageOf = (error: unknown): string => messageOfErrors(errorsOf(error));

const errorsOf = (error: unknown): readonly GatewayError[] =>
  error instanceof RefusalError ? [{ message: error.message }] : errorsOfResponse(error);

/**
 * Texts of the page for messages that address developers, by the last member of an issue's path and its reason. A
 * reason may have several causes: `start` is how the message of the rephrased one begins.
 */
const plainTexts: Readonly<Record<string, { readonly start?: string; readonly text: string }>> = {
  'email invalid': { start: 'This is not an e-mail address', text: 'This is not an e-mail address.' },
  'objectId required': { text: 'Enter the name of an object, at most 1024 bytes.' },
  'objectId tooLong': { text: 'Enter the name of an object, at most 1024 bytes.' },
  'objectGeneration invalid': { text: 'Enter a whole number.' },
  'topic invalid': {
    start: 'topic must have the form',
    text: 'Enter a topic such as projects/my-project/topics/photos.',
  },
};

function rephraseIssue(issue: Issue): Issue {
  const plainText = plainTexts[`${issue.path.at(-1)} ${issue.reason}`];
  return plainText && issue.message.startsWith(plainText.start ?? '')
    ? { ...issue, message: plainText.text }
    : issue;
}

const mapIssues = (
  { message, extensions }: GatewayError,
  changeIssue: (issue: Issue) => Issue,
): GatewayError => ({
  message,
  extensions: extensions && { ...extensions, issues: extensions.issues?.map(changeIssue) },
});

/** Joins the messages at several paths, each once; undefined if there are none. */
export function messagesAt(errors: FieldErrors, ...paths: readonly string[]): string | undefined {
  const messages = new Set(paths.flatMap((path) => errors[path] ?? []));
  return messages.size > 0 ? [...messages].join(' ') : undefined;
}
