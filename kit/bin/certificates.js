#!/usr/bin/env node
import "../dist/tls/renew-certificates.js";
