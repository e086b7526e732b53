// A real OpenID provider (npm's oidc-provider, in the folder of the first argument) whose
// people are in a file that is read anew each time: who is not in it any more is gone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, port, redirect, people] = process.argv.slice(2);
const { Provider } = await import(pathToFileURL(join(folder, 'node_modules/oidc-provider/lib/index.js')));

const provider = new Provider(`http://localhost:${port}`, {
  clients: [{
    client_id: 'belay', client_secret: 'secret', redirect_uris: [redirect],
    grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'],
  }],
  scopes: ['openid', 'offline_access', 'email', 'profile', 'groups'],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['preferred_username'], groups: ['groups'] },
  pkce: { required: () => true },
  cookies: { keys: ['of the test'] },
  features: { devInteractions: { enabled: true } },
  findAccount(_, id) {
    const person = JSON.parse(readFileSync(people, 'utf8'))[id];
    return person && {
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true, preferred_username: id, groups: person.groups }),
    };
  },
});
provider.listen(Number(port), 'localhost', () => console.log('listening'));
