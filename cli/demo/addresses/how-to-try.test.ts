import { describe, expect, it } from 'vitest';
import { createPaint } from '../../show/paint.ts';
import { demoCampaign } from '../installation/demo-settings.ts';
import { describeTrials } from './how-to-try.ts';

const installation = {
  apiUrl: 'http://127.0.0.1:8080',
  apiKey: 'muster_key',
  calledName: 'sandbox',
  calledUrl: 'http://127.0.0.1:7070',
  databaseUrl: undefined,
};
const paint = createPaint(false);

describe('the closing text of `muster up`', () => {
  it('has the commands that run its campaign', () => {
    const text = describeTrials(installation, demoCampaign, paint);
    expect(text).toContain('export MUSTER_API_URL=http://127.0.0.1:8080 MUSTER_API_KEY=muster_key\n');
    expect(text).toContain('--segment lapsed-riders --countries SG,ID,VN');
    expect(text).toContain(`--action send-message='{"template":"congratulations"}')`);
  });

  it('has no command to create a campaign if the segments of the segmentation service are unknown', () => {
    expect(describeTrials(installation, undefined, paint)).not.toContain('campaign create');
  });

  it('has the address of Postgres only if `muster up` started Postgres', () => {
    const databaseUrl = 'postgres://muster:password@127.0.0.1:5432/muster';
    expect(describeTrials({ ...installation, databaseUrl }, demoCampaign, paint)).toContain(databaseUrl);
    expect(describeTrials(installation, demoCampaign, paint)).not.toContain('Postgres');
  });
});
