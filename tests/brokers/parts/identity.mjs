// node identity.mjs PORT TOKEN_SECONDS TENANT CLIENT AUDIENCE; the secret of the client is in IDENTITY_SECRET.
//
// Entra ID has one address for tokens by `resource` and one for tokens by `scope`, both below the tenant; oidc-provider has
// one. Here both lead to it.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(process.env.NODE_PATH + '/');
const { Provider, errors } = await import(pathToFileURL(require.resolve('oidc-provider')));

const [port, seconds, tenant, client, audience] = process.argv.slice(2);
const scope = `${audience}/.default`;
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{
    client_id: client,
    client_secret: process.env.IDENTITY_SECRET,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    token_endpoint_auth_method: 'client_secret_post',
  }],
  scopes: [scope],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => audience,
      getResourceServerInfo: (_, resource) => {
        if (resource !== audience) throw new errors.InvalidTarget();
        return {
          scope,
          audience,
          accessTokenFormat: 'jwt',
          accessTokenTTL: Number(seconds),
          jwt: { sign: { alg: 'RS256' } },
        };
      },
    },
  },
});
const tokens = [`/${tenant}/oauth2/token`, `/${tenant}/oauth2/v2.0/token`];
provider.use((context, next) => {
  if (tokens.includes(context.path)) context.path = '/token';
  return next();
});
provider.on('client_credentials.issued', () => console.log('issued'));
provider.on('grant.error', (_, error) => console.log(error.error, error.error_description ?? ''));
provider.on('server_error', (_, error) => console.log(error));
provider.listen(Number(port), '127.0.0.1');
