import { withoutNulls, type Shown } from '../../../event/event.harness.ts';
import type { Answer } from '../../../harness.ts';
import { collectLog } from '../../../log-lines.ts';
import { memoryWithBackground } from '../../../random/background.ts';
import { seed } from '../../../random/cast.ts';
import { documentOf } from '../../../random/documents.ts';
import { Names } from '../../../random/names.ts';
import { timeOf, type Args } from '../../../random/operation.ts';
import { Answered, type Seat } from '../../../random/references.ts';
import { leavesWork } from '../../../random/worlds.ts';
import { startRest, type RestAnswer, type RestGateway } from '../rest.harness.ts';
import type { Step } from './operations.ts';
import { given, inBody, owed, type Refusal } from './refusals.ts';
import { bodyOf, graphqlArguments, isOffered, restRequest, type RestRequest } from './requests.ts';
import { bodiesOf } from './bodies.ts';

type Options = { readonly as: string | null; readonly scopes?: readonly string[] };

/** What a face made of an operation, as REST tells it. */
export interface Outcome {
  readonly refusal?: Refusal;
  /** Absent where nothing is told. */
  readonly body?: Shown;
  readonly warnings?: readonly object[];
  /** An answer of GraphQL, where REST does not offer the operation. */
  readonly beside?: object;
}

/** A gateway that is driven through one of its faces. */
export interface Driven extends RestGateway {
  readonly names: Names;
  /** Sends an operation. Undefined where it refers to what was never answered. */
  drive(
    step: Step,
  ): Promise<
    | { readonly outcome: Outcome; readonly seat: Seat; readonly args: Args; readonly notices: unknown }
    | undefined
  >;
  /** Asks for a root field through GraphQL. */
  field(name: string, args: Args, options: Options): Promise<Answer>;
}

type Send = (
  gateway: Pick<Driven, 'field' | 'send'>,
  name: string,
  args: Args,
  step: Step,
) => Promise<Outcome>;

async function start(send: Send): Promise<Driven> {
  const [names, answered, log] = [new Names(), new Answered(), collectLog()];
  const notices: unknown[] = [];
  let now = 0;
  const clock = (): number => timeOf(now);
  const { stores, background } = memoryWithBackground(clock, log);
  const gateway = await startRest(
    {},
    {
      stores,
      seed,
      clock,
      notifier: { notify: (notice) => void notices.push(notice) },
      logTo: log.logTo,
      logLevel: 'error',
    },
  );
  const field: Driven['field'] = (name, args, options) => gateway.ask(documentOf(name), args, options);
  return {
    ...gateway,
    names,
    field,
    async drive(step) {
      now = step.step;
      const calendarId = String(
        answered.resolve({ id: step.args.calendarId }, { as: step.as, calendarId: '' })?.id,
      );
      const seat = { as: step.as, calendarId };
      const args = answered.resolve(step.args, seat);
      if (!args) return undefined;
      const outcome = await send({ ...gateway, field }, step.name, args, step);
      answered.keep(
        step.step,
        seat,
        outcome.beside === undefined ? kept(outcome.body) : (outcome.beside as Shown).result,
      );
      if (leavesWork(step)) await background.settled();
      const told = notices.splice(0);
      return { outcome, seat, args, notices: step.name === 'deleteCalendar' ? names.sorted(told) : told };
    },
    async close() {
      await background.close();
      await gateway.close();
    },
  };
}

/** What later operations refer to: a page as GraphQL tells it. */
function kept(body: Shown): Shown {
  if (body?.items === undefined) return body;
  const { items, nextPageToken, nextSyncToken } = body;
  return {
    nodes: items,
    pageInfo: { hasNextPage: nextPageToken !== undefined, endCursor: nextPageToken },
    nextSyncToken,
  };
}

const optionsOf = ({ as, scopes }: Step): Options => ({
  as: scopes?.length === 0 ? null : as,
  ...(scopes && { scopes }),
});

/** What REST does not offer is sent through GraphQL to both, in the same names. */
async function beside(gateway: Parameters<Send>[0], name: string, args: Args, step: Step): Promise<Outcome> {
  const {
    data,
    errors = [],
    warnings,
  } = await gateway.field(name, graphqlArguments(name, args), optionsOf(step));
  const result = bodiesOf.unoffered(data?.result);
  return {
    beside: {
      result,
      errors: errors.map(({ message, extensions: { code, issues } }) => ({ message, code, issues })),
      warnings,
    },
  };
}

const throughGraphql: Send = async (gateway, name, args, step) => {
  if (name === 'replaceEvent') return throughGraphql(gateway, 'patchEvent', args, step);
  if (!isOffered(name, args)) return beside(gateway, name, args, step);
  const options = optionsOf(step);
  const wasCancelled =
    name === 'deleteEvent' &&
    (await gateway.field('event', args, options)).data?.result?.status === 'cancelled';
  const { line } = restRequest(name, args);
  const { data, errors, warnings = [] } = await gateway.field(name, graphqlArguments(name, args), options);
  if (errors) return { refusal: owed(name, line, { errors }, step.broken) };
  if (wasCancelled) return { refusal: { status: 410, faults: [{ domain: 'global', reason: 'deleted' }] } };
  const calendar = /^(events|instances)$/.test(name)
    ? (await gateway.field('calendar', { calendarId: args.calendarId }, options)).data.result
    : undefined;
  const body = bodiesOf.answered(name, args, data.result, calendar);
  return {
    ...(body !== undefined && { body }),
    warnings: warnings.map(({ path, reason, message }) => ({
      path: path[0] === bodyOf(name) ? inBody(path.slice(1)) : path,
      reason,
      message,
    })),
  };
};

const throughRest: Send = async (gateway, name, args, step) => {
  if (name !== 'replaceEvent' && !isOffered(name, args)) return beside(gateway, name, args, step);
  const options = optionsOf(step);
  const request =
    name === 'replaceEvent' ? await replacement(gateway, args, options) : restRequest(name, args);
  return outcomeOf(
    await gateway.send(request.line, request.body, { ...options, headers: request.headers ?? {} }),
    step.broken,
  );
};

/** What is read is put back, changed. Where it shows no times it is patched: PUT needs them. */
async function replacement(gateway: Parameters<Send>[0], args: Args, options: Options): Promise<RestRequest> {
  const patch = restRequest('patchEvent', args);
  const { json } = await gateway.send(
    restRequest('event', { calendarId: args.calendarId, eventId: args.eventId }).line,
    undefined,
    options,
  );
  if (json?.start === undefined || json.end === undefined) return patch;
  return {
    ...patch,
    line: patch.line.replace('PATCH', 'PUT'),
    body: withoutNulls({ ...json, ...(args.event as object) }),
  };
}

function outcomeOf(answer: RestAnswer, broken: string | undefined): Outcome {
  const { status, json, headers, warnings = [] } = answer;
  if (status >= 400) return { refusal: given(answer, broken) };
  expect([json?.etag, status]).toEqual([headers.etag, json === undefined ? 204 : 200]);
  return {
    ...(json !== undefined && { body: json }),
    warnings: (warnings as { reason: string }[]).filter(({ reason }) => reason !== 'unknownField'),
  };
}

export const drivenThroughGraphql = (): Promise<Driven> => start(throughGraphql);
export const drivenThroughRest = (): Promise<Driven> => start(throughRest);
