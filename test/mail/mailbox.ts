import { once } from 'node:events';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import ical from 'ical.js';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { eventually } from '../eventually.ts';
import { findFreePort } from '../free-port.ts';

/** A mail that the server received. */
export type ReceivedMail = Awaited<ReturnType<typeof parseMail>>;
/** An SMTP server that stores mails in memory. */
export type Mailbox = Awaited<ReturnType<typeof startMailbox>>;

/** Parses a mail; `from` and `to` are those of the envelope. */
async function parseMail(from: string, to: readonly string[], raw: Buffer) {
  const email = await PostalMime.parse(raw);
  // Parsed from the raw bytes, since postal-mime changes line breaks.
  const [, encodedCalendar = ''] =
    /\r\nContent-Type: text\/calendar;.*?\r\n\r\n(.*?)\r\n--/s.exec(raw.toString('latin1')) ?? [];
  const calendarText = Buffer.from(encodedCalendar, 'base64').toString();
  const calendar = new ical.Component(ical.parse(calendarText) as unknown[]);
  return { from, to, raw, email, calendarText, calendar };
}

/** Starts a mailbox on loopback that accepts every mail, by default without TLS and authentication. */
export async function startMailbox(options: SMTPServerOptions = {}) {
  const mails: ReceivedMail[] = [];
  const rcptReplies = new Map<string, { readonly code: number; attempts: number }>();
  const sockets = new Set<Socket>();
  const connections = { open: 0, total: 0, maxOpen: 0 };
  const port = await findFreePort();
  let server: SMTPServer;

  async function start(): Promise<void> {
    server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      closeTimeout: 1,
      onRcptTo({ address }, _session, callback) {
        const rcptReply = rcptReplies.get(address.toLowerCase());
        if (rcptReply) rcptReply.attempts += 1;
        if (!rcptReply || rcptReply.code < 400) return callback();
        callback(
          Object.assign(new Error(`${rcptReply.code} for <${address}>`), { responseCode: rcptReply.code }),
        );
      },
      onData(stream, { envelope: { mailFrom, rcptTo } }, callback) {
        const from = mailFrom ? mailFrom.address : '';
        const to = rcptTo.map(({ address }) => address);
        void buffer(stream)
          .then((raw) => parseMail(from, to, raw))
          .then((mail) => mails.push(mail))
          .then(() => callback(null), callback);
      },
      ...options,
    });
    server.on('error', () => undefined);
    server.server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      connections.total += 1;
      connections.open += 1;
      connections.maxOpen = Math.max(connections.maxOpen, connections.open);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          connections.open -= 1;
        });
    });
    await once(server.listen(port, '127.0.0.1'), 'listening');
  }
  await start();

  return {
    /** Value for SMTP_URL. */
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails,
    /** Mails to an address, in order of arrival. */
    mailsTo: (address: string) =>
      mails.filter(({ to }) => to.some((recipient) => recipient.toLowerCase() === address.toLowerCase())),
    /** Waits for a number of mails, and returns all. */
    async waitForMails(minCount: number) {
      await eventually(async () => {
        if (mails.length < minCount) throw new Error(`${mails.length} mails of ${minCount}`);
      });
      return mails;
    },
    /** Sets the SMTP code for RCPT TO of an address in any case; 250 accepts mails again. Returns a counter of attempts. */
    setReplyCode(address: string, code: number) {
      const newReply = { code, attempts: 0 };
      rcptReplies.set(address.toLowerCase(), newReply);
      return () => newReply.attempts;
    },
    /** Counts of connections: open now, in total, and the maximum open at once. */
    connections,
    start,
    /** Closes all connections, and accepts none until `start`, on the same port. */
    async stop() {
      const closePromise = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closePromise;
    },
  };
}
