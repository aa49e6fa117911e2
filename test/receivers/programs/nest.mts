import "reflect-metadata";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { WebhooksController } from "./webhooks.controller.js";

@Module({ controllers: [WebhooksController] })
class AppModule {}

const app = await NestFactory.create(AppModule, { rawBody: true });
await app.listen(Number(process.env.PORT), "127.0.0.1");
