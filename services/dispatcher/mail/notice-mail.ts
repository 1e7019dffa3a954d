import { notice, type Notice } from '../../../shared/contracts/webhooks/webhooks.ts';

export interface NoticeMail {
  subject: string;
  text: string;
  /** Id that groups the e-mails of one run, or of one campaign. */
  thread: string | null;
  type: string;
}

/** Returns undefined if the body is no notice: another version may use another format. */
export function noticeMailOf(body: Buffer): NoticeMail | undefined {
  const read = notice.safeParse(parsed(body));
  if (!read.success) return undefined;
  const { type, timestamp, data } = read.data;
  return {
    subject: `[Muster] ${data.text}`,
    text: [data.text, ...linesOf(data), '', data.link, '', `${type}, ${timestamp}`, ''].join('\n'),
    thread: data.run?.id ?? data.campaign?.id ?? null,
    type,
  };
}

function linesOf({ campaign, run, approval, digest }: Notice['data']): string[] {
  if (digest) return ['', ...digestLines(digest)];
  const about = [
    campaign && ['Campaign', campaign.name],
    campaign?.owner && ['Owner', campaign.owner],
    campaign && campaign.countries.length > 0 && ['Countries', campaign.countries.join(', ')],
    run && ['Planned for', run.scheduledFor],
    approval && ['Approvals needed', String(approval.needed)],
  ].filter((line) => Array.isArray(line));
  return about.length === 0 ? [] : ['', ...about.map((line) => line.join(': '))];
}

function digestLines({ runs, first }: NonNullable<Notice['data']['digest']>): string[] {
  const lines = first.map(({ campaign, run, figures: { audience, throughTheChain, failed } }) => {
    const said = `${throughTheChain} of ${audience} users, ${failed} failed`;
    return `${campaign.name}, planned for ${run.scheduledFor}: ${said}`;
  });
  return runs > first.length ? [...lines, `and ${runs - first.length} more`] : lines;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
