import { Webhook as Standard } from "standardwebhooks";
import { Webhook as Svix } from "svix";

const [secret, id, timestamp, signature, body] = process.argv.slice(2);
const headers = {
  standardwebhooks: { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature },
  svix: { "svix-id": id, "svix-timestamp": timestamp, "svix-signature": signature },
};
const libraries = { standardwebhooks: new Standard(secret), svix: new Svix(secret) };

for (const [name, library] of Object.entries(libraries)) {
  library.verify(body, headers[name]);
  console.log(`${name} verified`);
}
for (const [name, library] of Object.entries(libraries)) {
  try {
    library.verify(body.replace("T", "X"), headers[name]);
  } catch {
    console.log(`${name} refuses another body`);
  }
}
