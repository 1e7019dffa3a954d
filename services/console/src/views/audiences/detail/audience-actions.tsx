import { Link } from '@tanstack/react-router';
import { Button } from '../../../parts/controls/button.tsx';
import { Menu, MenuItem } from '../../../parts/overlays/menu.tsx';

interface AudienceActionsProps {
  name: string;
  /** Search parameter of the new campaign that uses the audience; undefined if the audience cannot be used. */
  newCampaignSearch: { list: string } | { saved: string } | { segment: string } | undefined;
  refusal: string | undefined;
  /** Change of the audience, such as renaming. Undefined if the audience cannot be changed here. */
  change?: { words: string; ask: () => void };
  onDelete?: () => void;
}

export function AudienceActions({ name, newCampaignSearch, refusal, change, onDelete }: AudienceActionsProps) {
  return (
    <>
      {newCampaignSearch !== undefined && refusal === undefined && (
        <Link className="btn s whitespace-nowrap" to="/campaigns/new" search={newCampaignSearch}>
          Use in a campaign
        </Link>
      )}
      {change && <Button small icon="edit" label={change.words} refusal={refusal} onClick={change.ask} />}
      {onDelete && refusal === undefined && (
        <Menu target={(target) => <Button {...target} small icon="more" label={`More about ${name}`} />}>
          <MenuItem onClick={onDelete}>Delete…</MenuItem>
        </Menu>
      )}
    </>
  );
}
