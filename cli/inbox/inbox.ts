import { join } from 'node:path';
import { listening } from '../../shared/runtime/process/listening.ts';
import { createMailFile, type MailFile } from './mail-file.ts';
import { startInboxServer } from './inbox-server.ts';
import { startMailSink } from './mail-sink.ts';

/** A mail server for trying out campaigns. Its mails are shown in the browser. */
export interface Inbox {
  /** URL of the mail server: `smtp://…`. */
  smtpUrl: string;
  /** URL of the page that lists the mails. */
  pageUrl: string;
  mails: Pick<MailFile, 'count' | 'find'>;
  close(): Promise<void>;
}

const host = '127.0.0.1';

/**
 * Starts the mail server and the page on 127.0.0.1. The mails are stored in a file of the folder, which remains after
 * `close`.
 *
 * @param ports ports of both servers; 0 selects a free port
 * @throws {ConfigurationError} if a port is taken; the message names the option of `muster inbox`
 */
export async function startInbox(folder: string, ports = { smtp: 0, page: 0 }): Promise<Inbox> {
  const mails = await createMailFile(join(folder, 'mails'));
  const opened: { close(): Promise<void> }[] = [mails];
  const close = async () => {
    for (const each of opened.toReversed()) await each.close();
  };
  try {
    const sink = await listening({ variable: '--smtp-port', host, port: ports.smtp }, () =>
      startMailSink(ports.smtp, (mail) => mails.keep(mail)),
    );
    opened.push(sink);
    const page = await listening({ variable: '--port', host, port: ports.page }, () =>
      startInboxServer(ports.page, mails),
    );
    opened.push(page);
    return { smtpUrl: sink.url, pageUrl: page.url, mails, close };
  } catch (error) {
    await close();
    throw error;
  }
}
