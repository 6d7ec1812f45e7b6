import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import ical from 'ical.js';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { eventually } from '../eventually.ts';

/** A mail as it reached the server. */
export type ReceivedMail = Awaited<ReturnType<typeof read>>;
/** An SMTP server that keeps what it gets. */
export type Mailbox = Awaited<ReturnType<typeof startMailbox>>;

/** Reads a mail; `from` and `to` are those of the envelope. */
async function read(from: string, to: readonly string[], raw: Buffer) {
  const email = await PostalMime.parse(raw);
  // The parser of mails changes line ends.
  const [, part = ''] =
    /\r\nContent-Type: text\/calendar;.*?\r\n\r\n(.*?)\r\n--/s.exec(raw.toString('latin1')) ?? [];
  const calendarText = Buffer.from(part, 'base64').toString();
  const calendar = new ical.Component(ical.parse(calendarText) as unknown[]);
  return { from, to, raw, email, calendarText, calendar };
}

/** A mailbox on this machine that takes everything, without TLS and sign-in unless the options say otherwise. */
export async function startMailbox(options: SMTPServerOptions = {}) {
  const mails: ReceivedMail[] = [];
  const answers = new Map<string, { readonly code: number; asked: number }>();
  const sockets = new Set<Socket>();
  const connections = { open: 0, all: 0, most: 0 };
  let server: SMTPServer;
  let port = 0;

  async function start(): Promise<void> {
    server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      closeTimeout: 1,
      onRcptTo({ address }, _session, callback) {
        const answer = answers.get(address.toLowerCase());
        if (answer) answer.asked += 1;
        if (!answer || answer.code < 400) return callback();
        callback(Object.assign(new Error(`${answer.code} for <${address}>`), { responseCode: answer.code }));
      },
      onData(stream, { envelope: { mailFrom, rcptTo } }, callback) {
        const from = mailFrom ? mailFrom.address : '';
        const to = rcptTo.map(({ address }) => address);
        void buffer(stream)
          .then((raw) => read(from, to, raw))
          .then((mail) => mails.push(mail))
          .then(() => callback(null), callback);
      },
      ...options,
    });
    server.on('error', () => undefined);
    server.server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      connections.all += 1;
      connections.open += 1;
      connections.most = Math.max(connections.most, connections.open);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          connections.open -= 1;
        });
    });
    await once(server.listen(port, '127.0.0.1'), 'listening');
    ({ port } = server.server.address() as AddressInfo);
  }
  await start();

  return {
    /** What SMTP_URL is for it. */
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails,
    /** The mails to an address, in the order in which they came. */
    to: (address: string) =>
      mails.filter(({ to }) => to.some((one) => one.toLowerCase() === address.toLowerCase())),
    /** Resolves once there are so many mails, with all of them. */
    async count(least: number) {
      await eventually(async () => {
        if (mails.length < least) throw new Error(`${mails.length} mails of ${least}`);
      });
      return mails;
    },
    /** From now on a receiver is answered so, whatever the case of letters: `code` 250 for taking mails again. Tells how often that was asked. */
    answer(address: string, code: number) {
      const answer = { code, asked: 0 };
      answers.set(address.toLowerCase(), answer);
      return () => answer.asked;
    },
    /** Open connections now, and how many there were: in all, and at the same time at most. */
    connections,
    start,
    /** Ends all connections, and takes no more until it starts again, at the same port. */
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
