import { open } from 'node:fs/promises';
import type { ArrivedMail } from './mail-sink.ts';

/** A mail in the list. Its message is stored in the file. */
export interface KeptMail {
  /** Number of the mail, from 1. */
  number: number;
  recipient: string;
  arrivedAt: Date;
}

/** The mails of an inbox, stored in a file. Only the recipients are kept in memory. */
export interface MailFile {
  readonly count: number;
  /** Resolves when the mail is in the file. */
  keep(mail: ArrivedMail): Promise<void>;
  /** Returns mails whose recipient contains the text, the newest first. */
  find(text: string): KeptMail[];
  /** Returns the message; undefined if there is no such mail. */
  read(number: number): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

/** Creates the file; an existing one is emptied. */
export async function createMailFile(path: string): Promise<MailFile> {
  const file = await open(path, 'w+', 0o600);
  const mails: { recipient: string; arrivedMs: number; offset: number; length: number }[] = [];
  let size = 0;
  return {
    get count() {
      return mails.length;
    },
    keep: async ({ to: [recipient = ''], message }) => {
      const offset = size;
      size += message.length;
      await file.write(message, 0, message.length, offset);
      mails.push({ recipient, arrivedMs: Date.now(), offset, length: message.length });
    },
    find: (text) => {
      const wanted = text.trim().toLowerCase();
      return mails
        .flatMap(({ recipient, arrivedMs }, index): KeptMail[] =>
          recipient.toLowerCase().includes(wanted)
            ? [{ number: index + 1, recipient, arrivedAt: new Date(arrivedMs) }]
            : [],
        )
        .reverse();
    },
    read: async (number) => {
      const mail = mails[number - 1];
      if (!mail) return undefined;
      const message = Buffer.alloc(mail.length);
      await file.read(message, 0, mail.length, mail.offset);
      return message;
    },
    close: () => file.close(),
  };
}
