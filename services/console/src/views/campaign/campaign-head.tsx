import { plainText } from '../../parts/words/plain-text.ts';
import { Link } from '@tanstack/react-router';
import type { Campaign } from '#client/types.gen.ts';
import { CopyableId } from '../../parts/controls/copy-button.tsx';
import { isDraft } from '../../parts/standing/state-looks.ts';
import { StateBadge } from '../../parts/standing/state-badge.tsx';
import { Time } from '../../parts/times/time.tsx';

/** Its name, how it stands, and when something happens next. */
export function CampaignHead({ campaign }: { campaign: Campaign }) {
  const { id, name, state, revision, createdAt, archivedAt, nextRunAt, startsAt, origin } = campaign;
  return (
    <div>
      <div className="row flex-wrap">
        <h1>{plainText(name)}</h1>
        <StateBadge state={state} tinted />
      </div>
      <div className="meta">
        {nextRunAt !== null && (
          <span>
            Next run <b>{<Time instant={nextRunAt} />}</b>
          </span>
        )}
        {nextRunAt === null && isDraft(state) && startsAt !== null && (
          <span>
            Would start <b>{<Time instant={startsAt} />}</b>
          </span>
        )}
        <span>
          Revision <b>{revision}</b>
        </span>
        <span>
          Created <b>{<Time instant={createdAt} />}</b>
        </span>
        {origin !== null && 'templateId' in origin && (
          <span>
            From{' '}
            <Link className="link" to="/templates">
              revision {origin.revision} of a template
            </Link>
          </span>
        )}
        {origin !== null && 'campaignId' in origin && (
          <span>
            Copied from{' '}
            <Link className="link" to="/campaigns/$campaignId" params={{ campaignId: origin.campaignId }}>
              revision {origin.revision} of another
            </Link>
          </span>
        )}
        {archivedAt !== null && (
          <span>
            Archived <b>{<Time instant={archivedAt} />}</b>
          </span>
        )}
        <CopyableId id={id} what="id of the campaign" />
      </div>
    </div>
  );
}
