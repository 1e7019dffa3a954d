import { Link } from '@tanstack/react-router';
import { Page } from './page.tsx';

export function NotFound() {
  return (
    <Page title="No such page">
      <div className="state-message">
        <b>There is nothing at this address</b>
        <p className="t2">Find it by its id or its name, or begin with the campaigns.</p>
        <Link to="/campaigns" className="btn">
          Campaigns
        </Link>
      </div>
    </Page>
  );
}
