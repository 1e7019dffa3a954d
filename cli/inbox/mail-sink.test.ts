import { createTransport } from 'nodemailer';
import { afterEach, describe, expect, it } from 'vitest';
import { startMailSink, type ArrivedMail, type MailSink } from './mail-sink.ts';

let sink: MailSink | undefined;

afterEach(() => sink?.close());

async function start(keep?: (mail: ArrivedMail) => Promise<void>): Promise<ArrivedMail[]> {
  const kept: ArrivedMail[] = [];
  sink = await startMailSink(0, keep ?? ((mail) => Promise.resolve(void kept.push(mail))));
  return kept;
}

const send = (text: string) =>
  createTransport(sink?.url).sendMail({
    from: 'news@shop.test',
    to: 'mei@example.com',
    subject: 'Grüße',
    text,
  });

describe('the mail server of the inbox', () => {
  it('keeps sender and recipients of the envelope, and the message as it was written', async () => {
    const kept = await start();
    await send('one\r\n..two\r\n.\r\nthree 🙂');
    const [{ from, to, message } = { from: '', to: [], message: Buffer.of() }] = kept;
    expect(kept).toHaveLength(1);
    expect({ from, to }).toEqual({ from: 'news@shop.test', to: ['mei@example.com'] });
    expect(message.toString()).toContain('Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=');
    expect(message.toString()).toContain('\r\n\r\none\r\n..two\r\n.\r\nthree');
  });

  it('acknowledges a mail only after the mail is stored', async () => {
    await start(() => Promise.reject(new Error('the disk is full')));
    await expect(send('lost')).rejects.toMatchObject({ responseCode: 450 });
  });
});
