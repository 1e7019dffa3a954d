import { startMailSink } from '../../cli/inbox/mail-sink.ts';

/** Counts the mails of a mail server that accepts everything. */
let mails = 0;
const { url } = await startMailSink(0, () => {
  mails++;
  return Promise.resolve();
});
process.on('message', () => process.send?.({ mails }));
process.on('disconnect', () => process.exit());
process.send?.({ url });
