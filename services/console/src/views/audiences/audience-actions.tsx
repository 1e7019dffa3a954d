import { Link } from '@tanstack/react-router';
import { Button } from '../../parts/controls/button.tsx';

interface AudienceActionsProps {
  /** What a new campaign takes; undefined where there is nothing to take. */
  taken: { list: string } | { saved: string } | { segment: string } | undefined;
  refusal: string | undefined;
  /** Undefined of what is not ours to change. */
  onAsked?: (what: 'rename' | 'delete') => void;
}

/** What can be done with an audience that one looks at. */
export function AudienceActions({ taken, refusal, onAsked }: AudienceActionsProps) {
  return (
    <>
      {taken !== undefined && refusal === undefined && (
        <Link className="btn s" to="/campaigns/new" search={taken}>
          Use it…
        </Link>
      )}
      {onAsked && (
        <>
          <Button small refusal={refusal} onClick={() => onAsked('rename')}>
            Rename…
          </Button>
          <Button small kind="bad" refusal={refusal} onClick={() => onAsked('delete')}>
            Delete…
          </Button>
        </>
      )}
    </>
  );
}
