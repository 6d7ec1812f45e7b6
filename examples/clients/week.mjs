const url = process.env.GATEWAY_URL ?? 'http://127.0.0.1:4000';
const sendRequest = async (path, query, headers) => {
  const response = await fetch(url + path, {
    method: 'POST',
    body: JSON.stringify({ query }),
    headers: { authorization: `Bearer ${process.env.TOKEN}`, 'content-type': 'application/json', ...headers },
  });
  if (response.ok && path === '/graphql/stream') return response.body;
  const { data, errors } = await response
    .json()
    .catch(() => ({ errors: [{ message: `HTTP ${response.status}` }] }));
  return errors ? Promise.reject(new Error(errors[0].message)) : data;
};
const listEvents = async (args) =>
  (
    await sendRequest(
      '/graphql',
      `{ events(calendarId: "primary", singleEvents: true, ${args}) { nodes { id status summary start { date dateTime } } nextSyncToken } }`,
    )
  ).events;
const now = new Date();
const dayStart = (daysAfterMonday) =>
  new Date(
    now.getFullYear(),
    now.getMonth(),
    now.getDate() - ((now.getDay() + 6) % 7) + daysAfterMonday,
  ).toISOString();
const week = await listEvents(`timeMin: "${dayStart(0)}", timeMax: "${dayStart(7)}", orderBy: startTime`);
for (const { start, summary } of week.nodes) console.log(start.dateTime ?? start.date, summary);
const changeStream = await sendRequest(
  '/graphql/stream',
  'subscription { calendarChanged(calendarId: "primary") { changedAt } }',
  { 'last-event-id': week.nextSyncToken },
);
const { id: eventId, summary } = week.nodes.find(({ id }) => id.startsWith('standup_'));
await sendRequest(
  '/graphql',
  `mutation { patchEvent(calendarId: "primary", eventId: "${eventId}", event: { summary: "${summary === 'Stand-up' ? 'Stand-up with cake' : 'Stand-up'}" }) { id } }`,
);
for await (const chunk of changeStream.pipeThrough(new TextDecoderStream())) {
  if (!chunk.includes('event: next')) continue;
  for (const { id, status, summary } of (await listEvents(`syncToken: "${week.nextSyncToken}"`)).nodes)
    console.log(id, status, summary);
  break; // A real view stores the new nextSyncToken and continues.
}
