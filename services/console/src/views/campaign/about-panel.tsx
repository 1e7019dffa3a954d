import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Campaign } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { AboutDialog } from './about-dialog.tsx';

export function AboutPanel({ campaign }: { campaign: Campaign }) {
  const { description, owner, tags = [], metadata = {} } = campaign;
  const [isOpen, setOpen] = useState(false);
  const refusal = useRefusal('manager');
  const pairs = Object.entries(metadata);
  const isEmpty = description === undefined && owner === undefined && tags.length === 0 && pairs.length === 0;
  const edit = (
    <Button small refusal={refusal} onClick={() => setOpen(true)}>
      Edit details
    </Button>
  );
  return (
    <Panel title="Details" actions={edit} padded>
      {isEmpty && <p className="t3">No description, owner or tags yet.</p>}
      {description !== undefined && <p className="whitespace-pre-wrap wrap-anywhere mb-2">{description}</p>}
      <dl className="kv [&_dd]:wrap-anywhere">
        {owner !== undefined && (
          <>
            <dt>Owner</dt>
            <dd>
              <Link className="link" to="/campaigns" search={{ owner }}>
                {owner}
              </Link>
            </dd>
          </>
        )}
        {tags.length > 0 && (
          <>
            <dt>Tags</dt>
            <dd className="row flex-wrap gap-1">
              {tags.map((tag) => (
                <Link key={tag} className="tag" to="/campaigns" search={{ tag }}>
                  {tag}
                </Link>
              ))}
            </dd>
          </>
        )}
        {pairs.length > 0 && (
          <>
            <dt>Metadata</dt>
            <dd className="mono">
              {pairs.map(([key, value]) => (
                <div key={key}>
                  {key}: {value}
                </div>
              ))}
            </dd>
          </>
        )}
      </dl>
      {isOpen && <AboutDialog campaign={campaign} onClose={() => setOpen(false)} />}
    </Panel>
  );
}
