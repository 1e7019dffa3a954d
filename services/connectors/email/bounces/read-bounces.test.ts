import { describe, expect, it } from 'vitest';
import { readEvents } from './read-events.ts';
import { readReport } from './read-report.ts';

const messageId = 'abc.def@shop.test';

interface ReportParts {
  action?: string;
  status?: string;
  returned?: string;
  kind?: string;
}

/** A report as Postfix writes it. */
function report({ action = 'failed', status = '5.1.1', returned = 'text/rfc822-headers', kind = '' }: ReportParts) {
  const isComplaint = kind === 'feedback-report';
  const lines = [
    'From: MAILER-DAEMON@mx.test (Mail Delivery System)',
    'To: bounces@shop.test',
    'Subject: Undelivered Mail Returned to Sender',
    `Content-Type: multipart/report; report-type=${isComplaint ? kind : 'delivery-status'}; boundary="b1"`,
    'MIME-Version: 1.0',
    '',
    '--b1',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'Message-ID: <of-the-text@mx.test>',
    '--b1',
    ...(isComplaint
      ? ['Content-Type: message/feedback-report', '', 'Feedback-Type: abuse', 'User-Agent: test/1', 'Version: 1']
      : [
          'Content-Description: Delivery report',
          'Content-Type: message/delivery-status',
          '',
          'Reporting-MTA: dns; mx.test',
          '',
          'Final-Recipient: rfc822; ada@example.com',
          `Action: ${action}`,
          `Status: ${status}`,
          'Diagnostic-Code: smtp; 550 5.1.1 no such user',
        ]),
    '',
    '--b1',
    `Content-Type: ${returned}`,
    '',
    'Subject: Hello',
    `Message-ID:`,
    ` <${messageId}>`,
    '',
    ...(returned === 'message/rfc822' ? ['the text'] : []),
    '--b1--',
    '',
  ];
  return Buffer.from(lines.join('\r\n'));
}

describe('a report of a mail server', () => {
  it.each(['text/rfc822-headers', 'message/rfc822'])('names the mail by the headers in %s', async (returned) => {
    const event = await readReport(report({ returned }));
    expect(event).toEqual({ kind: 'hard-bounce', messageId, code: '5.1.1', at: undefined });
  });

  it.each([
    ['5.1.1', 'hard-bounce'],
    ['5.1.10', 'hard-bounce'],
    ['5.2.1', 'hard-bounce'],
    ['5.2.2', 'soft-bounce'],
    ['5.7.1', 'soft-bounce'],
    ['4.4.1', 'soft-bounce'],
  ])('with the status %s is a %s', async (status, kind) => {
    expect(await readReport(report({ status }))).toMatchObject({ kind, code: status });
  });

  it('is a complaint if a reader reported the mail as spam', async () => {
    expect(await readReport(report({ kind: 'feedback-report' }))).toMatchObject({ kind: 'complaint', messageId });
  });

  it('is ignored if it has no final result, or is no report', async () => {
    expect(await readReport(report({ action: 'delayed', status: '4.4.7' }))).toBeUndefined();
    expect(await readReport(Buffer.from('Subject: Out of office\r\n\r\nI am away'))).toBeUndefined();
    expect(await readReport(Buffer.from([0, 255, 13, 10]))).toBeUndefined();
  });

  it('is a delivery if the mail was delivered', async () => {
    expect(await readReport(report({ action: 'delivered', status: '2.0.0' }))).toMatchObject({ kind: 'delivered' });
  });
});

describe('events of a provider', () => {
  it('are read in the plain form', () => {
    const events = [
      { messageId: `<${messageId}>`, event: 'hard-bounce', code: '5.1.1', at: '2026-12-01T09:00:00Z' },
      { messageId, event: 'complaint' },
    ];
    expect(readEvents({ events })).toEqual([
      { kind: 'hard-bounce', messageId, code: '5.1.1', at: new Date('2026-12-01T09:00:00Z') },
      { kind: 'complaint', messageId, code: undefined, at: undefined },
    ]);
  });

  it.each([
    [{ event: 'delivered' }, 'delivered'],
    [{ event: 'bounce', type: 'bounce', status: '5.0.0' }, 'hard-bounce'],
    [{ event: 'bounce', type: 'blocked', status: '5.7.1' }, 'soft-bounce'],
    [{ event: 'dropped' }, 'soft-bounce'],
    [{ event: 'spamreport' }, 'complaint'],
    [{ event: 'group_unsubscribe' }, 'unsubscribe'],
  ])('are read in the form of SendGrid: %j', (event, kind) => {
    const sent = { 'smtp-id': `<${messageId}>`, timestamp: 1_780_000_000, email: 'ada@example.com', ...event };
    expect(readEvents([sent])).toMatchObject([{ kind, messageId, at: new Date(1_780_000_000_000) }]);
  });

  it('exclude events of SendGrid that have no final result', () => {
    expect(readEvents([{ event: 'open', 'smtp-id': messageId }, { event: 'bounce' }])).toEqual([]);
  });

  it.each([null, {}, { events: [{ messageId: 'x', event: 'bounce' }] }, [{ event: 1 }]])(
    'are refused for %j',
    (body) => {
      expect(() => readEvents(body)).toThrow();
    },
  );
});
