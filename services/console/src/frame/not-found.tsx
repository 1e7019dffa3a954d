import { Link } from '@tanstack/react-router';
import { Page } from './page.tsx';

export function NotFound() {
  return (
    <Page title="Page not found">
      <div className="state-message">
        <b>This page does not exist</b>
        <p className="t2">Search for it by id or name, or go to the campaigns.</p>
        <Link to="/campaigns" className="btn">
          Campaigns
        </Link>
      </div>
    </Page>
  );
}
